"""The index of the latest dump, read again only when it has changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final

from django.conf import settings

from damrak_ladder.open_data.errors import DumpError
from damrak_ladder.open_data.index import INDEX, File, Index, read_index


@dataclass(frozen=True, slots=True)
class Published:
    """The latest dump: its index as a value and as text, and its files by path."""

    folder: Path
    index: Index
    text: bytes
    digest: str
    bytes: int
    files: dict[str, File]
    by_day: dict[str | None, list[File]]

    def of_day(self, day: str | None) -> list[File]:
        """Return the files of a day, or those of tables that are written as a whole."""
        return self.by_day.get(day, [])


NIGHTLY: Final = time(3, 7)
"""When the clerk writes the dump (UTC)."""

_latest: Final[dict[Path, tuple[tuple[int, int, int], Published | None]]] = {}


def published() -> Published | None:
    """Return the latest dump of this installation, or None if there is none that can be read."""
    folder = settings.DAMRAK_DUMP.folder
    try:
        found = (folder / INDEX).stat()
    except OSError:
        return None
    mark = (found.st_mtime_ns, found.st_size, found.st_ino)
    known = _latest.get(folder)
    if known is None or known[0] != mark:
        _latest.clear()
        known = _latest[folder] = (mark, _read(folder))
    return known[1]


def not_yet() -> Index | None:
    """Return the index before the first dump, without files; None if there is a damaged one."""
    if (settings.DAMRAK_DUMP.folder / INDEX).exists():
        return None
    return Index(None, settings.DAMRAK_URL, settings.DAMRAK_DUMP.licence)


def next_run(now: datetime) -> datetime:
    """Return when the clerk writes the next dump."""
    today = datetime.combine(now.astimezone(UTC), NIGHTLY, UTC)
    return today if now < today else today + timedelta(days=1)


def _read(folder: Path) -> Published | None:
    try:
        index = read_index(folder)
    except DumpError:
        return None
    if index is None:
        return None
    text = index.to_bytes()
    by_day: dict[str | None, list[File]] = {}
    for file in index.files:
        by_day.setdefault(file.day, []).append(file)
    return Published(
        folder=folder,
        index=index,
        text=text,
        digest=sha256(text).hexdigest(),
        bytes=sum(file.bytes for file in index.files),
        files={file.path: file for file in index.files},
        by_day=by_day,
    )
