"""Where clients run: on the event loop the referee uses, in processes of their own."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable, Coroutine
from concurrent.futures import ProcessPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def run(main: Coroutine[object, object, T]) -> T:
    """Run it to its end."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)
    return uvloop.run(main)


def elsewhere(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """What this gives in a new process: gRPC does not like to be forked."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        return pool.submit(work, *arguments, **named).result()
