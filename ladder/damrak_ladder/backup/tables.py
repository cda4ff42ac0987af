"""Conversion of all rows of all tables to text and back, independent of the database."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models

from damrak_ladder.backup.errors import BackupDamaged
from damrak_ladder.stores.rows import Content

PIECE_BYTES: Final = 4_000_000
_BATCH: Final = 500

Model = type[models.Model]


def all_models() -> dict[str, Model]:
    """Return all tables, by their names in backups; contents of stores are not included."""
    found = apps.get_models(include_auto_created=True)
    return {
        model._meta.label_lower: model
        for model in found
        if model._meta.managed and not model._meta.proxy and not issubclass(model, Content)
    }


def columns_of(model: Model) -> list[str]:
    """Return the columns of a table, in the order in which rows are written."""
    return [field.attname for field in model._meta.concrete_fields]


def pieces(model: Model) -> Iterator[bytes]:
    """Yield the rows of a table, in pieces of a few megabytes."""
    rows = model._base_manager.order_by("pk").values_list(*columns_of(model))
    lines: list[bytes] = []
    size = 0
    for row in rows.iterator(chunk_size=_BATCH):
        line = json.dumps(row, default=_as_json, ensure_ascii=False, separators=(",", ":"))
        lines.append(line.encode() + b"\n")
        size += len(lines[-1])
        if size >= PIECE_BYTES:
            yield b"".join(lines)
            lines, size = [], 0
    if lines:
        yield b"".join(lines)


def rows_of(model: Model, piece: bytes) -> Iterator[models.Model]:
    """Yield the rows of a piece, not yet saved.

    Raises:
        BackupDamaged: they are not rows of this table.
    """
    fields = model._meta.concrete_fields
    for line in piece.splitlines():
        try:
            values: list[Any] = json.loads(line)
            if len(values) != len(fields):
                raise ValueError(f"{len(values)} columns")
            columns = {
                field.attname: value if value is None else field.to_python(value)
                for field, value in zip(fields, values, strict=True)
            }
        except Exception as problem:
            raise BackupDamaged(f"{model._meta.label_lower}: a row cannot be read") from problem
        yield model(**columns)


def empty_all() -> None:
    """Delete all rows; requires a transaction."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            names = ", ".join(connection.ops.quote_name(name) for name in _table_names())
            cursor.execute(f"TRUNCATE {names}")
        else:
            for name in _table_names():
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(name)}")  # noqa: S608


def insert(rows: Iterable[models.Model]) -> int:
    """Insert rows of one table unchanged; return their number."""
    count = 0
    batch: list[models.Model] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            count += _insert(batch)
            batch = []
    return count + _insert(batch)


def set_sequences() -> None:
    """Set the sequences so that new rows get ids above the inserted ones."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(all_models().values())):
            cursor.execute(statement)


def _insert(batch: Sequence[models.Model]) -> int:
    if batch:
        type(batch[0])._base_manager.bulk_create(batch)
    return len(batch)


def _table_names() -> list[str]:
    return [model._meta.db_table for model in all_models().values()]


def _as_json(value: object) -> str:
    match value:
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(bytes(value)).decode("ascii")
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal() | UUID():
            return str(value)
        case _:
            raise TypeError(f"{type(value).__name__} cannot be written")
