"""Exceptions of stored replays.

ReplayStoreError
├── ReplayLost      there is none under this hash
└── ReplayDamaged   the stored data has been changed
"""


class ReplayStoreError(Exception):
    """Base class of these exceptions."""

    def __init__(self, hash_: str, problem: str) -> None:
        super().__init__(f"replay {hash_}: {problem}")
        self.hash = hash_


class ReplayLost(ReplayStoreError):
    """There is no replay under this hash."""

    def __init__(self, hash_: str) -> None:
        super().__init__(hash_, "is gone")


class ReplayDamaged(ReplayStoreError):
    """The stored data has been changed."""
