"""The dump: days that have changed, the tables that are written as a whole, and the index.

All rows of a run are from one snapshot of the database. The index is replaced after each day, so a
run that is killed at any point leaves an index of complete files, and the next run continues.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from damrak_ladder.database_snapshot import snapshot
from damrak_ladder.open_data import registers
from damrak_ladder.open_data.days import Day, history, owners, owners_digest
from damrak_ladder.open_data.errors import DumpError
from damrak_ladder.open_data.index import FILE, INDEX, DayEntry, File, Index, read_index
from damrak_ladder.open_data.matches import match_row, matches_of
from damrak_ladder.open_data.ratings import ratings_of, standings
from damrak_ladder.open_data.replays import replay_row
from damrak_ladder.open_data.row_files import DRAFT, write_file, write_table
from damrak_ladder.open_data.tables import (
    BOARDS,
    BOTS,
    LADDERS,
    MATCHES,
    RATINGS,
    REPLAYS,
    STANDINGS,
    TABLES,
    VERSIONS,
)

BOTS_OF_DAYS: Final = ".days"
"""The folder of the files that name the bots of each day; it is not part of the dump."""

Tell = Callable[[str], None]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Dumped:
    """The result of a run."""

    index: Index
    written: tuple[str, ...]
    """The days that were written."""
    removed: tuple[str, ...]
    """The days that were removed."""


def dump(folder: Path, now: datetime, tell: Tell, only: date | None = None) -> Dumped:
    """Write all public data to a folder, or that of one day; return what was done.

    Raises:
        DumpError: the folder has another content, or is in use.
        StoreUnreachable: replays cannot be read; all days before this one are complete.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        known = read_index(folder) or Index(now, "", "")
        run = _Run(folder, known, now, tell)
        with snapshot():
            run.write(only)
        run.sweep()
        return Dumped(run.index, tuple(run.written), tuple(run.removed))


@dataclass(slots=True)
class _Counter:
    """The rows of a day's replays, and what is noticed while they are read."""

    day: date
    bots: set[int]
    lost: int = 0

    def matches(self) -> Iterator[dict[str, Any]]:
        for match in matches_of(self.day):
            self.bots.update(seat.version.bot_id for seat in match.seats.all())
            yield match_row(match)

    def replays(self) -> Iterator[dict[str, Any]]:
        for match in matches_of(self.day):
            row = replay_row(match)
            if row is None:
                self.lost += 1
            else:
                yield row


class _Run:
    """One run. `index` is what the folder's index lists."""

    def __init__(self, folder: Path, known: Index, now: datetime, tell: Tell) -> None:
        self.folder = folder
        self.index = replace(
            known, created=now, site=settings.DAMRAK_URL, licence=settings.DAMRAK_DUMP.licence
        )
        self.written: list[str] = []
        self.removed: list[str] = []
        self._now = now
        self._tell = tell

    def write(self, only: date | None) -> None:
        """Write everything that has changed."""
        past = history()
        owner_of = owners()
        kept = settings.DAMRAK_DUMP.days
        oldest = date.min if kept is None else self._now.date() - timedelta(days=kept)
        days = {day: it for day, it in past.days.items() if day >= oldest}
        self._remove([it.day for it in self.index.days if date.fromisoformat(it.day) not in days])
        for day, content in days.items():
            if only in (None, day) and not self._is_current(day, content, owner_of):
                self._write_day(day, content, owner_of)
        whole: list[File] = []
        for table, rows in (
            (STANDINGS, standings()),
            (BOTS, registers.bots()),
            (VERSIONS, registers.versions()),
            (BOARDS, registers.boards(past.boards)),
            (LADDERS, registers.ladders()),
        ):
            whole += write_table(self.folder, table, None, rows)
        self._publish(self.index.days, [file for file in self.index.files if file.day] + whole)

    def sweep(self) -> None:
        """Delete files that the index does not list any more, and those of killed runs."""
        listed = {file.path for file in self.index.files}
        for name in TABLES:
            home = self.folder / name
            for path in home.iterdir() if home.is_dir() else ():
                at = f"{name}/{path.name}"
                if at not in listed and (FILE.fullmatch(at) or DRAFT.fullmatch(path.name)):
                    path.unlink(missing_ok=True)
        for path in self.folder.glob(".draft-*-index"):
            path.unlink(missing_ok=True)
        days = {it.day for it in self.index.days}
        for path in (self.folder / BOTS_OF_DAYS).glob("*.json"):
            if path.stem not in days:
                path.unlink(missing_ok=True)

    def _is_current(self, day: date, content: Day, owner_of: dict[int, str]) -> bool:
        entry = next((it for it in self.index.days if it.day == day.isoformat()), None)
        if entry is None or not entry.source or entry.is_over != (day < self._now.date()):
            return False
        try:
            bots = [int(it) for it in json.loads(self._bots_file(day).read_bytes())]
        except (OSError, ValueError, TypeError):
            return False
        return entry.source == content.digest(owners_digest(bots, owner_of)) and all(
            _has_size(self.folder / file.path, file.bytes) for file in self.index.of_day(day)
        )

    def _write_day(self, day: date, content: Day, owner_of: dict[int, str]) -> None:
        counter = _Counter(day, set())
        files = write_table(self.folder, MATCHES, day, counter.matches())
        files += write_table(self.folder, REPLAYS, day, counter.replays())
        files += write_table(self.folder, RATINGS, day, ratings_of(day))
        self._bots_file(day).parent.mkdir(exist_ok=True)
        write_file(self._bots_file(day), json.dumps(sorted(counter.bots)).encode())
        source = "" if counter.lost else content.digest(owners_digest(counter.bots, owner_of))
        entry = DayEntry(day.isoformat(), day < self._now.date(), source, counter.lost)
        if counter.lost:
            _log.warning("replays_lost", extra={"day": entry.day, "lost": counter.lost})
        others = [it for it in self.index.days if it.day != entry.day]
        rest = [file for file in self.index.files if file.day != entry.day]
        self._publish([*others, entry], rest + files)
        self.written.append(entry.day)
        self._tell(f"{entry.day}: {sum(it.rows for it in files if it.format == 'parquet')} rows")

    def _remove(self, gone: list[str]) -> None:
        if gone:
            days = [it for it in self.index.days if it.day not in gone]
            self._publish(days, [it for it in self.index.files if it.day not in gone])
            self.removed += gone

    def _publish(self, days: Iterable[DayEntry], files: Iterable[File]) -> None:
        ordered = sorted(files, key=lambda it: (it.table, it.day or "", it.format))
        by_day = sorted(days, key=lambda it: it.day)
        self.index = replace(self.index, days=tuple(by_day), files=tuple(ordered))
        write_file(self.folder / INDEX, self.index.to_bytes())

    def _bots_file(self, day: date) -> Path:
        return self.folder / BOTS_OF_DAYS / f"{day.isoformat()}.json"


def dump_tonight() -> Dumped:
    """Write the dump of this installation to its folder."""
    found = dump(settings.DAMRAK_DUMP.folder, datetime.now(UTC), lambda line: None)
    _log.info("dumped", extra={"days": found.written, "removed": found.removed})
    return found


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of this folder; the lock ends with the process."""
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            cure = "wait until it has ended"
            raise DumpError(f"{folder}: another dump is running; {cure}") from None
        yield
    finally:
        os.close(descriptor)


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False
