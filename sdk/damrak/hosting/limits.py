"""Resource limits of child processes, where supported; importable on every platform."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

if sys.platform != "win32":
    import resource

MIB: Final = 1 << 20
RESERVE: Final = 64 * MIB  # used by a child that is out of memory to report it
ADDRESS_SPACE: Final = 1536 * MIB  # beyond the memory: what libraries reserve and do not use

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a bot in a child process, except its clock; None means unlimited."""

    memory_bytes: int | None = 1024 * MIB
    start_seconds: float = 30.0  # import, constructor and `start`
    finish_seconds: float = 2.0  # `finish`, and events that are still pending
    output_bytes: int = 64 * 1024  # the last bytes of its output to keep
    resources: tuple[tuple[str, int], ...] = ()  # further limits: ("NOFILE", 256)


STANDARD_LIMITS: Final = Limits()


def limit_memory(memory: int) -> None:
    """Limit the private memory of this process.

    The same two limits apply in a sandbox without control groups. Only Linux counts all private
    memory as data; on other platforms only the address space can be limited.
    """
    if sys.platform == "linux":
        space = memory + ADDRESS_SPACE
        for what, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_AS, space)):
            with contextlib.suppress(ValueError, OSError):  # lower limits may apply already
                resource.setrlimit(what, (most, most + RESERVE))
    elif sys.platform != "win32":
        # macOS defines this limit, but does not accept every value.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory + RESERVE))


@contextlib.contextmanager
def limited_memory(memory: int | None) -> Iterator[None]:
    """Limit the memory of this process for the duration of the context, if the platform can."""
    if memory is None or sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    with contextlib.suppress(ValueError, OSError):  # lower limits may apply already
        resource.setrlimit(resource.RLIMIT_DATA, (memory, hard))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def limit_resources(bounds: Iterable[tuple[str, int]]) -> None:
    """Set these limits of this process, if the platform has them."""
    if sys.platform == "win32":
        return
    for name, bound in bounds:
        what = getattr(resource, f"RLIMIT_{name}", None)
        if what is not None:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(what, (bound, bound))


def release_reserve() -> None:
    """Raise the limit of a process that ran out of memory, so that it can report that."""
    if sys.platform != "win32":
        for what in (resource.RLIMIT_DATA, resource.RLIMIT_AS):
            with contextlib.suppress(ValueError, OSError):
                hard = resource.getrlimit(what)[1]
                resource.setrlimit(what, (hard, hard))


def forbid_core_dumps() -> None:
    """Disable core dumps of this process."""
    if sys.platform != "win32":
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def die_with_parent(parent: int) -> None:
    """Make the kernel kill this process when its parent exits; `parent` is its expected id."""
    if sys.platform == "linux" and (prctl := _prctl()) is not None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it exited before the line above
            os._exit(1)


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process instead of init."""
    if (prctl := _prctl()) is not None:
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@cache
def _prctl() -> Callable[..., Any] | None:
    if sys.platform != "linux":
        return None
    import ctypes

    call: Callable[..., Any] = ctypes.CDLL(None).prctl
    return call
