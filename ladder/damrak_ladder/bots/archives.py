"""Content-addressed store of uploaded bots' archives, named by their SHA-256."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.conf import settings

from damrak_ladder.bots.errors import ArchiveDamaged
from damrak_ladder.bots.models import StoredArchive
from damrak_ladder.message_codes import bot_codes as codes
from damrak_ladder.stores.errors import ContentDamaged
from damrak_ladder.stores.selection import chosen_store
from damrak_ladder.stores.store import NAME, Store


def content_of(data: bytes) -> str:
    """Return the name of these bytes in the store."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class ArchiveStore:
    """A store of archives. Every method may raise StoreUnreachable."""

    store: Store

    def put(self, data: bytes) -> str:
        """Store these bytes permanently; return their name. Idempotent."""
        content = content_of(data)
        self.store.put(content, data)
        return content

    def get(self, content: str) -> bytes:
        """Return the bytes of this name.

        Raises:
            ArchiveDamaged: they are gone, or have been changed.
        """
        try:
            data = self.store.get(_checked(content))
        except ContentDamaged as problem:
            raise ArchiveDamaged(codes.ArchiveUnreadable(content, str(problem))) from None
        if data is None:
            raise ArchiveDamaged(codes.ArchiveMissing(content))
        if content_of(data) != content:
            raise ArchiveDamaged(codes.ArchiveChanged(content))
        return data

    def has(self, content: str) -> bool:
        """Return whether there is an archive of this name."""
        return self.store.has(_checked(content))


def archive_store() -> ArchiveStore:
    """Return the store of this installation."""
    return ArchiveStore(chosen_store(settings.DAMRAK_ARCHIVE_STORE, "archives", StoredArchive))


def _checked(content: str) -> str:
    if not NAME.fullmatch(content):
        raise ValueError(f"{content!r} is no SHA-256")
    return content
