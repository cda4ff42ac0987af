"""Files of rows, as Parquet and as compressed NDJSON.

A file is written under a temporary name, synchronised to disk, and renamed to its final name, which
contains the beginning of its SHA-256. The same rows give the same file.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa
from pyarrow import parquet

from damrak_ladder.open_data.index import SUFFIXES, File
from damrak_ladder.open_data.tables import REPLAYS, Column, Table

DRAFT: Final = re.compile(r"\.draft-[0-9]+-[a-z]+")
_LEVEL: Final = 6
_SIMPLE: Final = {
    "int64": pa.int64(),
    "float64": pa.float64(),
    "string": pa.string(),
    "json": pa.string(),
    "bool": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}


@dataclass(slots=True)
class _Drafts:
    parquet: Path
    ndjson: Path
    rows: int = 0


def write_table(
    folder: Path, table: Table, day: date | None, rows: Iterable[dict[str, Any]]
) -> list[File]:
    """Write rows to files in both formats, and return the files; none if there are no rows."""
    home = folder / table.name
    home.mkdir(parents=True, exist_ok=True)
    stem = f".draft-{os.getpid()}-"
    drafts = _Drafts(home / f"{stem}parquet", home / f"{stem}ndjson")
    try:
        _write(table, iter(rows), drafts)
        if not drafts.rows:
            return []
        return [
            _placed(home, table, day, format_, draft, drafts.rows)
            for format_, draft in (("parquet", drafts.parquet), ("ndjson", drafts.ndjson))
        ]
    finally:
        drafts.parquet.unlink(missing_ok=True)
        drafts.ndjson.unlink(missing_ok=True)


def write_file(path: Path, data: bytes) -> None:
    """Write a file that other users may read, atomically and durably."""
    draft = path.with_name(f".draft-{os.getpid()}-index")
    try:
        with draft.open("wb") as file:
            file.write(data)
            _sync(file)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(table: Table, rows: Iterator[dict[str, Any]], drafts: _Drafts) -> None:
    schema = _schema(table)
    with ExitStack() as files:
        binary = files.enter_context(drafts.parquet.open("wb"))
        packed = files.enter_context(drafts.ndjson.open("wb"))
        # No time and no name in the header: the same rows give the same file.
        lines = files.enter_context(gzip.GzipFile("", "wb", _LEVEL, packed, mtime=0))
        with parquet.ParquetWriter(binary, schema, compression="zstd") as writer:
            while chunk := list(islice(rows, table.rows_at_once)):
                drafts.rows += len(chunk)
                packable = [_arrow_row(row, table.columns) for row in chunk]
                writer.write_table(pa.Table.from_pylist(packable, schema=schema))
                lines.writelines(_line(table, row) for row in chunk)
        lines.close()
        _sync(binary)
        _sync(packed)


def _placed(
    home: Path, table: Table, day: date | None, format_: str, draft: Path, rows: int
) -> File:
    with draft.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    size = draft.stat().st_size
    name = f"{'all' if day is None else day.isoformat()}.{digest[:16]}{SUFFIXES[format_]}"
    draft.replace(home / name)
    sync_folder(home)
    on = None if day is None else day.isoformat()
    return File(f"{table.name}/{name}", table.name, on, format_, size, rows, digest)


def _schema(table: Table) -> Any:
    return pa.schema(
        [
            pa.field(column.name, _type(column), metadata={"meaning": column.meaning})
            for column in table.columns
        ],
        metadata={"table": table.name, "meaning": table.meaning},
    )


def _type(column: Column) -> Any:
    if column.fields:
        return pa.list_(pa.struct([pa.field(it.name, _type(it)) for it in column.fields]))
    return _SIMPLE[column.type]


def _arrow_row(row: dict[str, Any], columns: tuple[Column, ...]) -> dict[str, Any]:
    texts = [column.name for column in columns if column.type == "json"]
    return row | {name: _json(row[name]) for name in texts}


def _line(table: Table, row: dict[str, Any]) -> bytes:
    text: str = row["replay"] if table is REPLAYS else _json(row)
    return text.encode() + b"\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_as_json)


def _as_json(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    raise TypeError(f"{type(value).__name__} is not for JSON")


def _sync(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
