"""How a process dies between two statements, without a process to pay for.

The connection to the database is cut without a word, as when the process is killed: the server
undoes what was not committed. Then nothing of the caller runs any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import connection

T = TypeVar("T")


class Died(BaseException):
    """The process is dead. No `except Exception` may bring it back."""


@contextmanager
def dying(after: int) -> Iterator[None]:
    """Die when that many statements have been executed, before another is, or before the commit."""
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
    """How many statements it takes; what it changes remains."""
    executed = 0

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal executed
        executed += 1
        return execute(*arguments)

    with connection.execute_wrapper(count):
        act()
    return executed


def is_dead_after(act: Callable[[], object], after: int) -> bool:
    """Let somebody do this and die after so many statements; False if it lived to the end."""
    try:
        with dying(after):
            act()
    except Died:
        connection.close()
        return True
    return False
