"""Copies of all rows of the database, which restore the result of slow preparations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.core.management.color import no_style
from django.db import connection, transaction

# The rows of a table: values on SQLite, the binary copy format on PostgreSQL.
Rows = Any


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The rows that were added to empty tables."""

    rows: dict[str, Rows]

    def restore(self) -> None:
        """Add the rows again. The database must be as it was before."""
        with transaction.atomic(), connection.cursor() as cursor:
            for table, rows in self.rows.items():
                _write(table, rows)
            if connection.vendor == "postgresql":  # SQLite continues after the largest number
                cursor.execute(";".join(self._sequence_ends()))

    def _sequence_ends(self) -> Iterator[str]:
        for one in _sequences(connection.vendor):
            if one["table"] in self.rows:
                table, column = _quoted(one["table"]), _quoted(one["column"])
                sequence = f"pg_get_serial_sequence('{table}', '{one['column']}')"
                yield f"SELECT setval({sequence}, (SELECT MAX({column}) FROM {table}))"


def row_counts() -> dict[str, int]:
    """Return the number of rows of each table."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        counts = (f"SELECT '{table}', COUNT(*) FROM {_quoted(table)}" for table in tables)
        cursor.execute(" UNION ALL ".join(counts))
        return dict(cursor.fetchall())


def all_rows() -> Snapshot:
    """Return the rows of all tables."""
    return Snapshot({table: _read(table) for table, count in row_counts().items() if count})


def return_to(earlier: Snapshot) -> None:
    """Remove all rows that were added, and restore those that were removed or changed.

    The numbers of rows in tables that were empty begin at one again.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        for table, count in row_counts().items():
            rows = earlier.rows.get(table)
            if (rows is None and not count) or (rows is not None and rows == _read(table)):
                continue
            cursor.execute(f"DELETE FROM {_quoted(table)}")
            if rows is not None:
                _write(table, rows)
        # Of all tables: on PostgreSQL, rolled back insertions have used numbers.
        sequences = [
            one for one in _sequences(connection.vendor) if one["table"] not in earlier.rows
        ]
        resets = connection.ops.sequence_reset_by_name_sql(no_style(), sequences)
        cursor.execute(";".join(resets))


def added_since(before: dict[str, int]) -> Snapshot | None:
    """Return the added rows, or None if one of the tables was not empty before."""
    changed = [table for table, count in row_counts().items() if count != before[table]]
    if any(before[table] for table in changed):
        return None
    return Snapshot({table: _read(table) for table in changed})


@cache
def _sequences(vendor: str) -> list[dict[str, str]]:
    return connection.introspection.sequence_list()


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def _read(table: str) -> Rows:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            return cursor.execute(f"SELECT * FROM {_quoted(table)}").fetchall()
        with cursor.copy(f"COPY {_quoted(table)} TO STDOUT (FORMAT binary)") as copy:
            return b"".join(copy)


def _write(table: str, rows: Rows) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            places = ", ".join("?" for _ in rows[0])
            # The connection of sqlite3: Django's would format every parameter for its log.
            connection.connection.executemany(
                f"INSERT INTO {_quoted(table)} VALUES ({places})", rows
            )
            return
        with cursor.copy(f"COPY {_quoted(table)} FROM STDIN (FORMAT binary)") as copy:
            copy.write(rows)
