"""Archives of uploaded bots, on disk, named by the SHA-256 of their content."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from damrak_ladder.bots.errors import ArchiveDamaged
from damrak_ladder.installation.files import write_whole


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
        if not path.exists():
            write_whole(path, data)
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
