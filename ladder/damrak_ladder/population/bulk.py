"""Bulk inserts: write columns of numbers into a table, by the million rows.

PostgreSQL receives them as binary COPY data, which is laid out here for many rows at once; other
databases receive plain inserts.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

import numpy as np
from django.core.management.color import no_style
from django.db import connection, models, transaction
from numpy.typing import NDArray

Column = Any
"""An array with a value for each row, or one value for all rows.

An array of bytes has two dimensions; an array of moments has the type datetime64[us].
"""

_A_TIME: Final = 100_000
_SPARE_INDEXES: Final = """
    SELECT index.relname, pg_get_indexdef(index.oid)
    FROM pg_index JOIN pg_class AS index ON index.oid = pg_index.indexrelid
    WHERE pg_index.indrelid IN (SELECT table_name::regclass FROM unnest(%s::text[]) AS table_name)
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = index.oid)
"""
_HEAD: Final = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
_TAIL: Final = struct.pack(">h", -1)
_EPOCH: Final = np.datetime64("2000-01-01T00:00:00", "us")
_NUMBERS: Final = {
    "smallint": ">i2",
    "integer": ">i4",
    "bigint": ">i8",
    "double precision": ">f8",
    "boolean": "?",
}


def insert(model: type[models.Model], count: int, **columns: Column) -> None:
    """Insert `count` rows. The names are the model's columns ("ladder_id"); all are required."""
    fields = {field.column or "": field for field in model._meta.concrete_fields}
    wanted = {name: fields[name] for name in columns}
    if missing := fields.keys() - columns.keys() - {model._meta.pk.column}:
        raise ValueError(f"{model.__name__}: no {', '.join(sorted(missing))}")
    write = _copy if connection.vendor == "postgresql" else _insert
    for start in range(0, count, _A_TIME):
        some = {
            name: value[start : start + _A_TIME] if isinstance(value, np.ndarray) else value
            for name, value in columns.items()
        }
        write(model, min(_A_TIME, count - start), wanted, some)


@contextmanager
def loading(*tables: type[models.Model]) -> Iterator[None]:
    """Open a transaction in which these tables have no indexes except those of constraints.

    PostgreSQL rebuilds them at the end, in half the time that it takes to update them row by row.
    """
    with transaction.atomic():
        if connection.vendor != "postgresql":
            yield
            return
        names = [table._meta.db_table for table in tables]
        quote = connection.ops.quote_name
        with connection.cursor() as cursor:
            cursor.execute(_SPARE_INDEXES, [names])
            found = cursor.fetchall()
            for name, _ in found:
                cursor.execute(f"DROP INDEX {quote(name)}")
        yield
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # run checks that are still pending
            for _, definition in found:
                cursor.execute(definition)


def next_key(model: type[models.Model]) -> int:
    """Return the first key above all used ones."""
    highest = model._base_manager.aggregate(highest=models.Max("pk"))["highest"]
    return (highest or 0) + 1


def set_counters(tables: Sequence[type[models.Model]]) -> None:
    """Advance the database's key sequences past keys that were inserted explicitly."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)


def moments(seconds: NDArray[np.float64], start: datetime) -> NDArray[np.datetime64]:
    """Return the moments that lie these seconds after `start`."""
    begin = np.datetime64(start.replace(tzinfo=None), "us")
    return begin + (seconds * 1e6).astype("timedelta64[us]")


def texts(values: Iterable[str]) -> NDArray[np.uint8]:
    """Return texts of equal length as rows of bytes."""
    rows = [value.encode() for value in values]
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)


def _copy(
    model: type[models.Model],
    count: int,
    fields: dict[str, models.Field[Any, Any]],
    columns: dict[str, Column],
) -> None:
    layout: list[tuple[str, str]] = [("columns", ">i2")]
    contents: list[Any] = [len(columns)]
    for name, value in columns.items():
        length, form, content = _laid_out(fields[name], value)
        layout.append((f"length of {name}", ">i4"))
        contents.append(length)
        if length > 0:
            layout.append((name, form))
            contents.append(content)
    rows = np.zeros(count, dtype=layout)
    for (name, _), content in zip(layout, contents, strict=True):
        rows[name] = content
    quote = connection.ops.quote_name
    names = ", ".join(quote(name) for name in columns)
    statement = f"COPY {quote(model._meta.db_table)} ({names}) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.cursor.copy(statement) as copy:
        copy.write(_HEAD + rows.tobytes() + _TAIL)


def _laid_out(field: models.Field[Any, Any], value: Column) -> tuple[int, str, Any]:
    """Return the size of a value in bytes (-1 for NULL), its binary format, and the data."""
    if value is None:
        return -1, "", None
    kind = (field.db_type(connection) or "").partition("(")[0]
    if kind == "timestamp with time zone":
        if isinstance(value, datetime):
            value = np.datetime64(value.replace(tzinfo=None), "us")
        return 8, ">i8", (value - _EPOCH).astype(np.int64)
    if form := _NUMBERS.get(kind):
        return np.dtype(form).itemsize, form, value
    if isinstance(value, np.ndarray):
        width = value.shape[1]
        return width, f"V{width}", np.ascontiguousarray(value).view(f"V{width}").ravel()
    data = b"\x01" + json.dumps(value).encode() if kind == "jsonb" else value
    if isinstance(data, str):
        data = data.encode()
    return len(data), f"V{len(data)}", np.void(data)


def _insert(
    model: type[models.Model],
    count: int,
    fields: dict[str, models.Field[Any, Any]],
    columns: dict[str, Column],
) -> None:
    rows = zip(*(_plain(fields[name], columns[name], count) for name in columns), strict=True)
    quote = connection.ops.quote_name
    names, places = ", ".join(map(quote, columns)), ", ".join(["%s"] * len(columns))
    table = quote(model._meta.db_table)
    with connection.cursor() as cursor:
        # Only names of our own columns are interpolated; values are parameters.
        cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", list(rows))  # noqa: S608


def _plain(field: models.Field[Any, Any], value: Column, count: int) -> Sequence[Any]:
    if isinstance(field, models.JSONField) and value is not None:
        value = json.dumps(value)
    if isinstance(value, datetime):
        value = np.datetime64(value.replace(tzinfo=None), "us")
    if isinstance(value, np.datetime64):
        value = np.full(count, value)
    if not isinstance(value, np.ndarray):
        return [value] * count
    if value.dtype.kind == "M":
        return [text.replace("T", " ") for text in np.datetime_as_string(value).tolist()]
    if value.ndim == 2:
        found = [row.tobytes() for row in value]
        is_text = not isinstance(field, models.BinaryField)
        return [row.decode() for row in found] if is_text else found
    plain: list[Any] = value.tolist()
    return plain
