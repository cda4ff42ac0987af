"""What can be wrong with a store.

StoreError
├── StoreUnreachable   it cannot be asked now; what is in it is not lost
└── ContentDamaged     what is there is not what was put there
"""


class StoreError(Exception):
    """Something about a store."""


class StoreUnreachable(StoreError):
    """It cannot be asked now. Nothing is lost, and the same may be tried again later."""


class ContentDamaged(StoreError):
    """What is there is not what was put there."""
