"""Archives of uploaded bots, on disk, named by the SHA-256 of their content."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from damrak_ladder.bots.errors import ArchiveDamaged


def content_of(data: bytes) -> str:
    """The name that these bytes have in the store."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class ArchiveStore:
    """A folder of archives. Whoever dies while putting one in leaves the store as it was."""

    folder: Path

    def put(self, data: bytes) -> str:
        """Keep these bytes on disk; their name. Putting them in again changes nothing."""
        content = content_of(data)
        path = self._path(content)
        if path.exists():
            return content
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f".{secrets.token_hex(16)}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                draft.unlink()
        _sync_folder(path.parent)
        return content

    def get(self, content: str) -> bytes:
        """The bytes of that name.

        Raises:
            ArchiveDamaged: they are gone, or are not what was put in.
        """
        try:
            data = self._path(content).read_bytes()
        except FileNotFoundError:
            raise ArchiveDamaged(content, "is gone") from None
        if content_of(data) != content:
            raise ArchiveDamaged(content, "has been changed")
        return data

    def has(self, content: str) -> bool:
        """Whether there is an archive of that name."""
        return self._path(content).exists()

    def _path(self, content: str) -> Path:
        if not re.fullmatch("[0-9a-f]{64}", content):
            raise ValueError(f"{content!r} is no SHA-256")
        return self.folder / content[:2] / content[2:]


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
