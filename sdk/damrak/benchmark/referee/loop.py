"""The event loop of servers and clients, and their execution in new processes."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable, Coroutine
from concurrent.futures import ProcessPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def run(main: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end, with uvloop if it is installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)
    return uvloop.run(main)


def elsewhere(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Return the result of a function in a new, spawned process: gRPC does not support forking."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        return pool.submit(work, *arguments, **named).result()
