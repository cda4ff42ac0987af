"""Where replays are kept: each under its own hash, and never changed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from damrak_ladder.installation.files import write_whole
from damrak_ladder.replays.errors import ReplayLost
from damrak_ladder.replays.models import StoredReplay


class ReplayStore(Protocol):
    """Somewhere to keep compressed replays."""

    def put(self, hash_: str, data: bytes) -> None:
        """Keep it for good. What is there under this hash remains."""

    def get(self, hash_: str) -> bytes:
        """What was put there.

        Raises:
            ReplayLost
        """


class DatabaseStore:
    """Keeps replays as rows."""

    def put(self, hash_: str, data: bytes) -> None:
        """Keep it for good. What is there under this hash remains."""
        StoredReplay.objects.bulk_create(
            [StoredReplay(hash=hash_, data=data)], ignore_conflicts=True
        )

    def get(self, hash_: str) -> bytes:
        """What was put there.

        Raises:
            ReplayLost
        """
        row = StoredReplay.objects.filter(pk=hash_).first()
        if row is None:
            raise ReplayLost(hash_)
        return bytes(row.data)


@dataclass(frozen=True, slots=True)
class FolderStore:
    """Keeps replays as files."""

    folder: Path

    def put(self, hash_: str, data: bytes) -> None:
        """Keep it for good. What is there under this hash remains."""
        path = self._path(hash_)
        if not path.exists():
            write_whole(path, data)

    def get(self, hash_: str) -> bytes:
        """What was put there.

        Raises:
            ReplayLost
        """
        try:
            return self._path(hash_).read_bytes()
        except FileNotFoundError:
            raise ReplayLost(hash_) from None

    def _path(self, hash_: str) -> Path:
        if not re.fullmatch("[0-9a-f]{64}", hash_):
            raise ReplayLost(hash_)
        return self.folder / hash_[:2] / f"{hash_[2:]}.json.zst"
