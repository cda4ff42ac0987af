"""Exceptions of calls to a referee.

RefereeTrouble           unreachable, or refuses; `is_lasting` if waiting does not help
├── RefereeBusy          available, but accepts no more blocks now
├── RefereeForgot        that block or match is unknown
├── ArchivesMissing      archives of a block are missing
└── OrderRefused         this order will never be accepted
"""

from __future__ import annotations


class RefereeTrouble(Exception):
    """A referee, or the connection to it, has failed."""

    def __init__(self, address: str, problem: str, *, is_lasting: bool = False) -> None:
        super().__init__(f"{address}: {problem}")
        self.address = address
        self.problem = problem
        self.is_lasting = is_lasting


class RefereeBusy(RefereeTrouble):
    """The referee accepts no more blocks now: it drains, or has no room."""


class RefereeForgot(RefereeTrouble):
    """The referee does not know that block or match; it may have been restarted."""


class ArchivesMissing(RefereeTrouble):
    """The referee lacks the archives of a block, or may not run them."""


class OrderRefused(RefereeTrouble):
    """The referee will never accept this order."""
