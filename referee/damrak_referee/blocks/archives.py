"""Store of uploaded archives, named by the SHA-256 of their content.

Writes are atomic: an archive is written to a temporary file, checked and renamed. Several referees
may share one store.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

_PART: Final = ".part-"
_OLD_PART: Final = 3600.0  # seconds after which an upload cut off by a crash is removed
MB: Final = 1024 * 1024


class UploadRefused(Exception):
    """An upload was refused; `is_too_large` separates the two kinds of reasons."""

    def __init__(self, why: str, *, is_too_large: bool = False) -> None:
        super().__init__(why)
        self.is_too_large = is_too_large


class Archives:
    """A folder of archives."""

    def __init__(self, folder: Path, largest: int, room: int) -> None:
        """Limit an archive to `largest` bytes and all of them together to `room` bytes."""
        self.folder = folder
        self._largest = largest
        self._room = room
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._sweep_parts()

    def path(self, sha256: str) -> Path:
        """Return the path of the archive, whether it exists or not."""
        return self.folder / sha256

    def has(self, sha256: str) -> bool:
        """Return whether the archive exists, and mark it as just used."""
        if not is_sha256(sha256):
            return False
        try:
            os.utime(self.path(sha256))
        except OSError:
            return False
        return True

    def drop(self, sha256: str) -> None:
        """Delete the archive if it exists."""
        with contextlib.suppress(OSError):
            self.path(sha256).unlink()

    async def receive(self, sha256: str, pieces: AsyncIterator[bytes]) -> int:
        """Store an upload if its content matches its name; return its size in bytes.

        Raises:
            UploadRefused: the content does not match or is too large. Then nothing is stored, as
                when the sender disconnects half-way.
        """
        if not is_sha256(sha256):
            raise UploadRefused(f"sha256: {sha256[:80]!r} is not 64 hexadecimal digits")
        found = hashlib.sha256()
        size = 0
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=_PART)
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                async for piece in pieces:
                    size += len(piece)
                    if size > self._largest:
                        megabytes = self._largest / MB
                        raise UploadRefused(f"more than {megabytes:g} MB", is_too_large=True)
                    found.update(piece)
                    file.write(piece)
                file.flush()
                await asyncio.to_thread(os.fsync, file.fileno())  # clocks run while a disk is slow
            if found.hexdigest() != sha256:
                raise UploadRefused(f"the content has the SHA-256 {found.hexdigest()}")
            part.replace(self.path(sha256))
        finally:
            part.unlink(missing_ok=True)
        self._make_room(but=sha256)
        return size

    def _make_room(self, but: str) -> None:
        """Delete archives, the least recently used first, until the rest fits."""
        kept = []
        for path in self.folder.iterdir():
            if is_sha256(path.name):
                with contextlib.suppress(OSError):
                    found = path.stat()
                    kept.append((found.st_mtime, found.st_size, path))
        total = sum(size for _, size, _ in kept)
        for _, size, path in sorted(kept):
            if total <= self._room:
                return
            if path.name != but:
                path.unlink(missing_ok=True)
                total -= size

    def _sweep_parts(self) -> None:
        for path in self.folder.glob(_PART + "*"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _OLD_PART:
                    path.unlink()


def is_sha256(text: str) -> bool:
    """Return whether the text has the form of a SHA-256: 64 lower-case hexadecimal digits."""
    return re.fullmatch(r"[0-9a-f]{64}", text) is not None
