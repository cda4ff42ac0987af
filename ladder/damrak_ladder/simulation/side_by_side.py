"""Parallel execution of independent pieces of a simulation."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Final, Protocol, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]
"""Called with the number of completed pieces and of all pieces."""

_LEAST: Final = 20_000  # total number of blocks from which starting processes is worthwhile
_MOST: Final = 300_000  # blocks of one piece up to which several pieces fit into memory
_PROCESSES: Final = 8
_ONE_CORE: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Run(Protocol):
    """A function like `map`: it returns results in the order of the pieces."""

    def __call__(
        self, do: Callable[[Piece], Result], pieces: Sequence[Piece], /
    ) -> Iterable[Result]: ...


@contextmanager
def side_by_side(pieces: int, blocks: int) -> Iterator[Run]:
    """Yield a `map` with as many processes as this number of pieces and blocks is worth."""
    processes = min(pieces, _cores(), _PROCESSES)
    if processes <= 1 or pieces * blocks < _LEAST or blocks > _MOST:
        yield map
        return
    spawn = get_context("spawn")
    with _one_core_each():
        pool = ProcessPoolExecutor(processes, mp_context=spawn, initializer=_begin)
        try:
            yield pool.map
        finally:
            pool.shutdown(cancel_futures=True)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _one_core_each() -> Iterator[None]:
    """Limit processes that are started in this context to one core each for numerical libraries."""
    before = {name: os.environ.get(name) for name in _ONE_CORE}
    os.environ.update(dict.fromkeys(_ONE_CORE, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _begin() -> None:
    """Let Ctrl-C, and the exit of the parent process, end this process silently."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
