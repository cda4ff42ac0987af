"""Content-addressed stores of compressed replays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.conf import settings

from damrak_ladder.replays.errors import ReplayDamaged, ReplayLost
from damrak_ladder.replays.models import StoredReplay
from damrak_ladder.stores.errors import ContentDamaged
from damrak_ladder.stores.selection import chosen_store
from damrak_ladder.stores.store import NAME, Store

SUFFIX: Final = ".json.zst"


@dataclass(frozen=True, slots=True)
class ReplayStore:
    """A store of compressed replays. Every method may raise StoreUnreachable."""

    store: Store

    def put(self, hash_: str, data: bytes) -> None:
        """Store the data permanently; existing data under this hash is kept."""
        self.store.put(hash_, data)

    def get(self, hash_: str) -> bytes:
        """Return the data stored under this hash.

        Raises:
            ReplayLost, ReplayDamaged
        """
        try:
            data = self.store.get(hash_) if NAME.fullmatch(hash_) else None
        except ContentDamaged as problem:
            raise ReplayDamaged(hash_, str(problem)) from None
        if data is None:
            raise ReplayLost(hash_)
        return data


def replay_store() -> ReplayStore:
    """Return the store of this installation."""
    choice = settings.DAMRAK_REPLAY_STORE
    return ReplayStore(chosen_store(choice, "replays", StoredReplay, SUFFIX))
