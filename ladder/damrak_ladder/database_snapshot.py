"""Consistent reads of many tables while other processes write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Read the database as it is now, while other processes may write."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with connection.cursor() as cursor:
            # Not a transaction of Django's, which would block all writers.
            cursor.execute("BEGIN DEFERRED")
            try:
                cursor.execute("SELECT COUNT(*) FROM sqlite_master")
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
