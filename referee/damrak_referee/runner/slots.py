"""User ids for sandboxes: no two running sandboxes share one.

Runners on one machine divide the ids in blocks. A runner holds a block by binding an abstract
socket of its name, which the kernel frees when the runner exits.
"""

from __future__ import annotations

import pwd
import socket
from typing import Final

BLOCK: Final = 256
BLOCKS: Final = 64


class NoSlot(Exception):
    """All user ids are taken."""


class Slots:
    """The user ids of one runner."""

    def __init__(self, first_uid: int) -> None:
        self._first = first_uid
        self._held: list[socket.socket] = []
        self._free: list[int] = []

    def take(self) -> int:
        """Return an id that no other sandbox has.

        Raises:
            NoSlot: none is left.
        """
        if not self._free:
            self._take_block()
        return self._free.pop()

    def give_back(self, uid: int) -> None:
        """Take back the id of a sandbox that is gone."""
        self._free.append(uid)

    def close(self) -> None:
        """Release all ids to other runners."""
        for held in self._held:
            held.close()

    def _take_block(self) -> None:
        known = {entry.pw_uid for entry in pwd.getpwall()}
        for number in range(BLOCKS):
            uids = range(self._first + number * BLOCK, self._first + (number + 1) * BLOCK)
            if not known.isdisjoint(uids):
                continue
            claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                claim.bind(f"\0damrak-uids-{uids.start}")
            except OSError:
                claim.close()
                continue
            self._held.append(claim)
            self._free = list(reversed(uids))
            return
        raise NoSlot(f"all {BLOCK * BLOCKS} user numbers from {self._first} on are taken")
