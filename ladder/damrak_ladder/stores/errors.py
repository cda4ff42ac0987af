"""Errors of stores.

StoreError
├── StoreUnreachable   it is not available now; its content is not lost
└── ContentDamaged     the content is not what was stored
"""


class StoreError(Exception):
    """An error of a store."""


class StoreUnreachable(StoreError):
    """The store is not available now. Nothing is lost, and the request may be retried later."""


class ContentDamaged(StoreError):
    """The content is not what was stored."""
