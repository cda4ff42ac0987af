"""Tickets: what lets somebody sit down in a seat of a match.

A ticket is good for one connection: once the client has said anything beyond Join on it, and so
must have had the Welcome, only the ticket of that Welcome is good. Until then the old one is good
too, or a Welcome lost with its connection would cost the seat.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from damrak_referee.chair import Chair

TICKET_BYTES: Final = 32


@dataclass(slots=True)
class _Good:
    """The hashes of the tickets that are good for one chair."""

    used: bytes | None = None  # what the connection that sits there, if one does, came with
    next: bytes | None = None  # what its Welcome gave


class Tickets:
    """All good tickets of a referee. Only their hashes are kept."""

    def __init__(self) -> None:
        self._chairs: dict[bytes, Chair] = {}
        self._good: dict[Chair, _Good] = {}

    def __len__(self) -> int:
        return len(self._chairs)

    def issue(self, chair: Chair) -> str:
        """A first ticket for this chair; those it had are no longer good."""
        self.revoke(chair)
        self._good[chair] = _Good()
        return self.renew(chair)

    def renew(self, chair: Chair) -> str:
        """The ticket for the connection after this one; empty if the chair needs none."""
        good = self._good.get(chair)
        if good is None:
            return ""
        ticket = secrets.token_urlsafe(TICKET_BYTES)
        self._drop(good.next)
        good.next = _hash(ticket)
        self._chairs[good.next] = chair
        return ticket

    def redeem(self, ticket: str) -> Chair | None:
        """The chair that this ticket is good for."""
        hashed = _hash(ticket)
        chair = self._chairs.get(hashed)
        if chair is not None:
            good = self._good[chair]
            if good.next == hashed:  # then the Welcome that gave it was heard
                self._drop(good.used)
                good.used, good.next = hashed, None
        return chair

    def confirm(self, chair: Chair) -> None:
        """The client in this chair has had its Welcome: what it came with is used up."""
        good = self._good.get(chair)
        if good is not None:
            self._drop(good.used)
            good.used = None

    def revoke(self, chair: Chair) -> None:
        """No ticket is good for this chair any more."""
        good = self._good.pop(chair, None)
        if good is not None:
            self._drop(good.used)
            self._drop(good.next)

    def _drop(self, hashed: bytes | None) -> None:
        if hashed is not None:
            self._chairs.pop(hashed, None)


def _hash(ticket: str) -> bytes:
    return hashlib.sha256(ticket.encode()).digest()
