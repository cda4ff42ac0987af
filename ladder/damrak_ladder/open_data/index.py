"""`index.json`: the files of a dump. It lists only complete files."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from damrak_ladder.open_data.errors import DumpError
from damrak_ladder.open_data.tables import TABLES

FORMAT: Final = "damrak-dump/1"
INDEX: Final = "index.json"
SUFFIXES: Final = {"parquet": ".parquet", "ndjson": ".ndjson.gz"}

FILE: Final = re.compile(
    rf"({'|'.join(TABLES)})/([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|all)"
    r"\.[0-9a-f]{16}\.(?:parquet|ndjson\.gz)"
)
"""The paths of files. They contain the beginning of the SHA-256, so a file never changes."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of one table, of one day or as a whole."""

    path: str
    table: str
    day: str | None
    format: str
    bytes: int
    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DayEntry:
    """A day of a dump."""

    day: str
    is_over: bool
    """Whether the day had ended when it was written."""
    source: str
    """A digest of what it was written from; empty if it is written again in any case."""
    lost: int
    """The number of replays that are missing in the store."""


@dataclass(frozen=True, slots=True)
class Index:
    """The index of a dump."""

    created: datetime | None
    """The time of the last run; None before the first one."""
    site: str
    licence: str
    days: tuple[DayEntry, ...] = ()
    files: tuple[File, ...] = ()

    def of_day(self, day: date) -> list[File]:
        """Return the files of a day."""
        return [file for file in self.files if file.day == day.isoformat()]

    def file_at(self, path: str) -> File | None:
        """Return the listed file with this path."""
        return next((file for file in self.files if file.path == path), None)

    def to_json(self) -> dict[str, Any]:
        """Return the content of `index.json`."""
        return {
            "format": FORMAT,
            "created": None if self.created is None else self.created.isoformat(),
            "site": self.site,
            "licence": {
                "spdx": self.licence,
                "url": f"https://spdx.org/licenses/{self.licence}.html",
            },
            "tables": {
                table.name: {
                    "meaning": table.meaning,
                    "is_daily": table.is_daily,
                    "columns": [column.to_json() for column in table.columns],
                }
                for table in TABLES.values()
            },
            "days": [asdict(day) for day in self.days],
            "files": [asdict(file) for file in self.files],
        }

    def to_bytes(self) -> bytes:
        """Return the content of `index.json` as text."""
        return json.dumps(self.to_json(), indent=1, ensure_ascii=False).encode() + b"\n"


def read_index(folder: Path) -> Index | None:
    """Return the index in a folder, or None if there is none.

    Raises:
        DumpError: it is not the index of a dump.
    """
    path = folder / INDEX
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise DumpError(f"{path}: {(problem.strerror or str(problem)).lower()}") from None
    try:
        raw = json.loads(data)
        if raw["format"] != FORMAT:
            raise ValueError("unknown format")
        return Index(
            created=datetime.fromisoformat(raw["created"]),
            site=str(raw["site"]),
            licence=str(raw["licence"]["spdx"]),
            days=tuple([DayEntry(**day) for day in raw["days"]]),
            files=tuple([_file(file) for file in raw["files"]]),
        )
    except (ValueError, LookupError, TypeError, RecursionError):
        cure = "choose another folder, or delete the file to begin a new dump"
        raise DumpError(f"{path}: is not the index of a dump ({FORMAT}); {cure}") from None


def _file(raw: dict[str, Any]) -> File:
    file = File(**raw)
    if not FILE.fullmatch(file.path):
        raise ValueError("not the path of a file of a dump")
    return file
