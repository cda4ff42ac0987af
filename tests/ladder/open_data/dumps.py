"""Dumps for tests: made, read again in both formats, and checked against their index."""

from __future__ import annotations

import gzip
import hashlib
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from pyarrow import parquet

from damrak_ladder.open_data.dump import Dumped, dump
from damrak_ladder.open_data.index import DayEntry, Index
from damrak_ladder.open_data.row_files import write_file, write_table
from damrak_ladder.open_data.tables import BOTS, RATINGS

TEXTS = ("options", "control", "boards", "shares", "anchors", "board")
"""The names of columns that are objects in NDJSON, and their text in Parquet (except a name)."""


def dumped(folder: Path, now: datetime | None = None, **more: Any) -> Dumped:
    """Write a dump."""
    return dump(folder, now or datetime.now(UTC), lambda line: None, **more)


def index_of(folder: Path) -> dict[str, Any]:
    """Return the content of the index, after a check of every file that it lists."""
    index: dict[str, Any] = json.loads((folder / "index.json").read_text())
    for file in index["files"]:
        data = (folder / file["path"]).read_bytes()
        assert len(data) == file["bytes"], file
        assert hashlib.sha256(data).hexdigest() == file["sha256"], file
    return index


def rows_of(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table from Parquet, after a comparison with NDJSON."""
    rows: list[dict[str, Any]] = []
    for file in index_of(folder)["files"]:
        if file["table"] != table or file["format"] != "parquet":
            continue
        found = parquet.read_table(folder / file["path"]).to_pylist()
        twin = next(
            it
            for it in index_of(folder)["files"]
            if (it["table"], it["day"], it["format"]) == (table, file["day"], "ndjson")
        )
        lines = gzip.decompress((folder / twin["path"]).read_bytes()).splitlines()
        assert len(found) == len(lines) == file["rows"] == twin["rows"]
        if table == "replays":
            assert [it["replay"] for it in found] == [line.decode() for line in lines]
        else:
            assert [as_json(it) for it in found] == [json.loads(line) for line in lines]
        rows += found
    return rows


def as_json(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of Parquet as it is in NDJSON."""
    return {name: _value(name, value) for name, value in row.items()}


def _value(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    is_text = name in TEXTS and isinstance(value, str) and value[:1] in {"{", "["}
    return json.loads(value) if is_text else value


def content(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a dump, by its path."""
    return {file["path"]: file["sha256"] for file in index_of(folder)["files"]}


def everything(folder: Path) -> set[str]:
    """Return the paths of all files in a folder except the index and files of the program."""
    paths = (it.relative_to(folder).as_posix() for it in folder.rglob("*") if it.is_file())
    return {path for path in paths if not path.startswith((".lock", ".days/", "index.json"))}


def sample(folder: Path, days: int = 1) -> Index:
    """Write a dump with a few rows without reading a database, and return its index."""
    now = datetime(2026, 11, 18, 12, tzinfo=UTC)
    bot = {"slug": "gable", "name": "Gable", "owner": "ada", "live": 1, "created": now}
    files = write_table(folder, BOTS, None, [bot])
    entries = []
    for number in range(days):
        day = date(2026, 11, 18 - number)
        row = {column.name: number for column in RATINGS.columns}
        row |= {"at": now, "ladder": "amsterdam", "bot": "gable", "first": 0.5}
        files += write_table(folder, RATINGS, day, [row] * 50)
        entries.append(DayEntry(day.isoformat(), number > 0, "00", 0))
    index = Index(now, "https://damrak.example", "CC0-1.0", tuple(entries[::-1]), tuple(files))
    write_file(folder / "index.json", index.to_bytes())
    return index
