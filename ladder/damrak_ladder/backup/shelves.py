"""Shelves: contents of stores as members of a backup, independent of the kind of store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from damrak_engine.errors import ReplayError
from damrak_engine.replay import hash_of, read_object
from damrak_ladder.backup.errors import BackupDamaged
from damrak_ladder.bots.archives import archive_store, content_of
from damrak_ladder.replays.compression import decompress
from damrak_ladder.replays.stores import SUFFIX, replay_store
from damrak_ladder.stores.errors import ContentDamaged
from damrak_ladder.stores.store import Store, name_at, place_of


@dataclass(frozen=True, slots=True)
class Shelf:
    """A part of a backup, and its store."""

    part: str
    suffix: str
    store: Store
    name_of: Callable[[bytes], str]

    def member(self, name: str) -> str:
        """Return the name of a content in a backup."""
        return f"{self.part}/{place_of(name, self.suffix)}"

    def put(self, member: str, data: bytes) -> None:
        """Store this content, unless a valid one exists.

        Raises:
            BackupDamaged: the member's name is not that of a content.
        """
        name = name_at(member.removeprefix(f"{self.part}/"), self.suffix)
        if name is None:
            raise BackupDamaged(f"{member} is no place of a content")
        try:
            there = self.store.get(name)
        except ContentDamaged:
            there = b""
        if there is None:
            self.store.put(name, data)
        elif there != data and self.name_of(data) == name:
            self.store.put(name, data, replace=True)


def shelves() -> dict[str, Shelf]:
    """Return all shelves, by their parts of a backup."""
    return {
        "archives": Shelf("archives", "", archive_store().store, content_of),
        "replays": Shelf("replays", SUFFIX, replay_store().store, _hash_of_replay),
    }


def _hash_of_replay(data: bytes) -> str:
    try:
        return hash_of(read_object(decompress(data)))
    except (ValueError, ReplayError):
        return ""
