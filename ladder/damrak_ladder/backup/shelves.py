"""Contents of stores as members of a backup: the same wherever they are kept."""

from __future__ import annotations

from dataclasses import dataclass

from damrak_ladder.bots.archives import archive_store
from damrak_ladder.replays.stores import SUFFIX, replay_store
from damrak_ladder.stores.store import Store, name_at, place_of


@dataclass(frozen=True, slots=True)
class Shelf:
    """A part of a backup, and the store that it is of."""

    part: str
    suffix: str
    store: Store

    def member(self, name: str) -> str:
        """What a content is called in a backup."""
        return f"{self.part}/{place_of(name, self.suffix)}"

    def name(self, member: str) -> str | None:
        """Which content is called that; None if none is."""
        return name_at(member.removeprefix(f"{self.part}/"), self.suffix)


def shelves() -> dict[str, Shelf]:
    """All of them, by their parts of a backup."""
    return {
        "archives": Shelf("archives", "", archive_store().store),
        "replays": Shelf("replays", SUFFIX, replay_store().store),
    }
