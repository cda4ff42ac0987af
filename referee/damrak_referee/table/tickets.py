"""Tickets, which give access to a seat of a match.

A ticket is valid for one connection: once the client sends anything beyond Join, and so must have
received the Welcome, only the ticket in that Welcome is valid. Until then the old one is valid,
too, or a Welcome lost with its connection would cost the seat.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from damrak_referee.table.chair import Chair

TICKET_BYTES: Final = 32


@dataclass(slots=True)
class _Good:
    """The hashes of the valid tickets of one chair."""

    used: bytes | None = None  # of the current connection, until it is confirmed
    next: bytes | None = None  # of the ticket in its Welcome


class Tickets:
    """All valid tickets of a referee. Only their hashes are stored."""

    def __init__(self) -> None:
        self._chairs: dict[bytes, Chair] = {}
        self._good: dict[Chair, _Good] = {}

    def __len__(self) -> int:
        return len(self._chairs)

    def issue(self, chair: Chair) -> str:
        """Issue a first ticket for this chair, and revoke its earlier ones."""
        self.revoke(chair)
        self._good[chair] = _Good()
        return self.renew(chair)

    def renew(self, chair: Chair) -> str:
        """Return the ticket for the next connection; an empty string if the chair needs none."""
        good = self._good.get(chair)
        if good is None:
            return ""
        ticket = secrets.token_urlsafe(TICKET_BYTES)
        self._drop(good.next)
        good.next = _hash(ticket)
        self._chairs[good.next] = chair
        return ticket

    def redeem(self, ticket: str) -> Chair | None:
        """Return the chair that this ticket is valid for, or None."""
        hashed = _hash(ticket)
        chair = self._chairs.get(hashed)
        if chair is not None:
            good = self._good[chair]
            if good.next == hashed:  # so the Welcome with it was received
                self._drop(good.used)
                good.used, good.next = hashed, None
        return chair

    def confirm(self, chair: Chair) -> None:
        """Revoke the ticket that the client used, after it has received its Welcome."""
        good = self._good.get(chair)
        if good is not None:
            self._drop(good.used)
            good.used = None

    def revoke(self, chair: Chair) -> None:
        """Revoke all tickets of this chair."""
        good = self._good.pop(chair, None)
        if good is not None:
            self._drop(good.used)
            self._drop(good.next)

    def _drop(self, hashed: bytes | None) -> None:
        if hashed is not None:
            self._chairs.pop(hashed, None)


def _hash(ticket: str) -> bytes:
    return hashlib.sha256(ticket.encode()).digest()
