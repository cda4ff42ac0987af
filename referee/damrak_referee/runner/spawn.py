"""Child processes that end with their parent. It forks, so it needs a single-threaded process."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import resource
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from damrak_referee.runner.priority import lower_priority

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
# Without prctl (macOS), children end when their connections close.
_prctl: Final = getattr(ctypes.CDLL(None), "prctl", None)
_POLL_SECONDS: Final = 0.05

_living: Final[set[int]] = set()

Limits = Mapping[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run, and its rights; `entrances` are those of control groups. The caller closes
    all descriptors."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    limits: Limits
    folder: str | None = None
    pass_on: tuple[int, ...] = ()
    entrances: tuple[int, ...] = ()
    low_priority: bool = False
    stdin: int = subprocess.DEVNULL
    stdout: int = subprocess.DEVNULL
    stderr: int | None = subprocess.DEVNULL


class Process:
    """A child process, and the event of its end."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self.popen = popen
        self.pid = popen.pid
        _living.add(popen.pid)
        self._descriptor: int | None = None
        if hasattr(os, "pidfd_open"):
            self._descriptor = os.pidfd_open(popen.pid)
            self._ended: asyncio.Future[None] = wait_readable(self._descriptor)
        else:
            self._ended = asyncio.ensure_future(_poll(popen))

    def kill(self) -> None:
        """Kill the process if it is running."""
        with contextlib.suppress(ProcessLookupError):
            self.popen.kill()

    async def ended(self) -> int:
        """Wait for the end; return the exit status, or minus the signal that killed it."""
        await asyncio.shield(self._ended)
        status = self.popen.wait()
        _living.discard(self.pid)
        return status

    def close(self) -> None:
        """Release the resources of a process that has ended."""
        self._ended.cancel()
        if self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None


def spawn(command: Command) -> Process:
    """Start a child that is killed when this process ends.

    Raises:
        OSError: it cannot be started.
    """
    parent = os.getpid()

    def prepare() -> None:
        # Runs in the child, before exec.
        if _prctl is not None:
            _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        for entrance in command.entrances:
            os.write(entrance, b"0")
        if command.low_priority:
            lower_priority()
        for what, bounds in command.limits.items():
            resource.setrlimit(what, bounds)

    try:
        return Process(
            subprocess.Popen(  # noqa: S603 - our own command lines
                command.argv,
                env=dict(command.environment),
                cwd=command.folder,
                stdin=command.stdin,
                stdout=command.stdout,
                stderr=command.stderr,
                pass_fds=command.pass_on,
                preexec_fn=prepare,  # safe in a process with one thread
                start_new_session=True,
            )
        )
    except subprocess.SubprocessError as problem:
        raise OSError(f"{command.argv[0]} could not be started: {problem}") from None


def wait_readable(descriptor: int) -> asyncio.Future[None]:
    """Return a future that is done once there is data to read, or a pidfd's process has ended."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def ready() -> None:
        loop.remove_reader(descriptor)
        if not done.done():
            done.set_result(None)

    loop.add_reader(descriptor, ready)
    return done


async def _poll(popen: subprocess.Popen[bytes]) -> None:
    while popen.poll() is None:
        await asyncio.sleep(_POLL_SECONDS)


def full_pipe(data: bytes) -> int:
    """Return the reading end of a pipe that holds the data, followed by end of file."""
    reading, writing = os.pipe()
    try:
        # Writing more than a pipe holds would block forever.
        os.set_blocking(writing, False)
        if os.write(writing, data) < len(data):
            os.close(reading)
            raise OSError(f"{len(data)} bytes are too many for a pipe")
    finally:
        os.close(writing)
    return reading


def raise_open_files() -> None:
    """Raise the limit of open files to the maximum, for connections and children."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def was_started_here(process: int) -> bool:
    """Return whether a child was started by `spawn` and has not been reaped."""
    return process in _living


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants, in place of init."""
    if _prctl is not None:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap_orphans() -> None:
    """Kill and reap children that `spawn` did not start."""
    for process in _children() - _living:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def bury_orphans() -> None:
    """Reap orphans that have ended."""
    for process in _children() - _living:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process, os.WNOHANG)


def _children() -> set[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return set(map(int, file.read().split()))
    except OSError:
        return set()
