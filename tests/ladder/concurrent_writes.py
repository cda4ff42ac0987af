"""Interference by another connection at the worst moment: between two statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection

IMPATIENCE = {
    "sqlite": "PRAGMA busy_timeout = 100",
    "postgresql": "SET lock_timeout = '100ms'",
}


@contextmanager
def meddling(after: int, act: Callable[[], object]) -> Iterator[None]:
    """Execute `act` on another connection after this many statements, unless locks prevent it."""
    executed = 0

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal executed
        answer = execute(*arguments)
        executed += 1
        if executed == after:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(_try, act).result()
        return answer

    with connection.execute_wrapper(count):
        yield
    assert executed >= after


def _try(act: Callable[[], object]) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute(IMPATIENCE[connection.vendor])
        act()
    except OperationalError:
        pass
    finally:
        connection.close()
