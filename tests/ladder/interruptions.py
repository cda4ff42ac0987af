"""Simulated crashes of a process between two statements.

The connection to the database is closed abruptly, as if the process were killed: the server rolls
back uncommitted changes. After that no code of the caller runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import connection

T = TypeVar("T")


class Died(BaseException):
    """The process has crashed. A BaseException, so that no `except Exception` continues."""


@contextmanager
def dying(after: int) -> Iterator[None]:
    """Crash after this number of statements, before the next statement or the commit."""
    executed = 0

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal executed
        if executed == after:
            _cut()
        answer = execute(*arguments)
        executed += 1
        if executed == after and connection.in_atomic_block:
            _cut()
        return answer

    with connection.execute_wrapper(count):
        yield


def _cut() -> None:
    if connection.vendor == "sqlite":
        # The locks of a process end with it. Here cursors outlive the connection and keep them.
        connection.connection.rollback()
    connection.connection.close()
    raise Died


def statements_of(act: Callable[[], object]) -> int:
    """Return the number of statements that a call executes; its changes remain."""
    executed = 0

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal executed
        executed += 1
        return execute(*arguments)

    with connection.execute_wrapper(count):
        act()
    return executed


def is_dead_after(act: Callable[[], object], after: int) -> bool:
    """Crash a call after this number of statements. Return False if it completed."""
    try:
        with dying(after):
            act()
    except Died:
        connection.close()
        return True
    return False
