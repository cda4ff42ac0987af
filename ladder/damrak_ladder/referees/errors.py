"""What can go wrong between the ladder and a referee.

RefereeTrouble           it cannot be reached, or refuses; `is_lasting` if waiting is no cure
├── RefereeBusy          it is there, and takes no more just now
├── RefereeForgot        it does not know that block, or that match
├── ArchivesMissing      it has not got the archives of a block
└── OrderRefused         it will never carry out this order
"""

from __future__ import annotations


class RefereeTrouble(Exception):
    """Something is wrong with a referee, or on the way to it."""

    def __init__(self, address: str, problem: str, *, is_lasting: bool = False) -> None:
        super().__init__(f"{address}: {problem}")
        self.address = address
        self.problem = problem
        self.is_lasting = is_lasting


class RefereeBusy(RefereeTrouble):
    """It is there, and takes no more just now: it drains, or has no room."""


class RefereeForgot(RefereeTrouble):
    """It does not know that block, or that match; it may have been started anew."""


class ArchivesMissing(RefereeTrouble):
    """It has not got the archives of a block, or may not run them."""


class OrderRefused(RefereeTrouble):
    """It will never carry out this order."""
