"""What can be wrong with a stored replay.

ReplayStoreError
├── ReplayLost      there is none under this hash
└── ReplayDamaged   what is there is not what was put there
"""


class ReplayStoreError(Exception):
    """Something about a stored replay."""

    def __init__(self, hash_: str, problem: str) -> None:
        super().__init__(f"replay {hash_}: {problem}")
        self.hash = hash_


class ReplayLost(ReplayStoreError):
    """There is no replay under this hash."""

    def __init__(self, hash_: str) -> None:
        super().__init__(hash_, "is gone")


class ReplayDamaged(ReplayStoreError):
    """What is there is not what was put there."""
