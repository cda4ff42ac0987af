"""The runner client of the referee.

    runner = await Runner.start(RunnerSettings(run=..., store=...))
    await runner.install(sha256, archive)
    handle = await runner.seat(SeatProcess("m1-0", Uploaded(sha256), socket))
    exit = await handle.exited

The runner is a separate process. If it crashes, the processes of its seats are killed and reported
as lost, and a new runner is started. If this process exits, the runner ends all seats and exits.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import damrak_referee
from damrak_archive.errors import ArchiveRefused
from damrak_referee.runner.errors import CannotIsolate, CannotStore, RunnerError, RunnerGone
from damrak_referee.runner.instance import make_instance
from damrak_referee.runner.messages import (
    LINE_LIMIT,
    Begin,
    Exited,
    Install,
    Installed,
    Locate,
    Look,
    Looked,
    Order,
    Report,
    Start,
    Stop,
    Up,
    line_of,
    parse_report,
)
from damrak_referee.runner.places import Exit, HouseBot, SeatProcess, Uploaded
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.runner.verdict import Verdict
from damrak_wire.runtime import BotRuntime, parse_runtime

__all__ = [
    "ArchiveRefused",
    "CannotIsolate",
    "CannotStore",
    "Exit",
    "HouseBot",
    "Runner",
    "RunnerError",
    "RunnerGone",
    "RunnerSettings",
    "SeatHandle",
    "SeatProcess",
    "Uploaded",
]

START_SECONDS: Final = 120.0  # sufficient for a busy machine
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 5.0
_PACKAGES: Final = Path(damrak_referee.__file__).parents[1]


class SeatHandle:
    """The process of a seat."""

    def __init__(self, runner: Runner, seat: str) -> None:
        self.seat = seat
        self.exited: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
        self._runner = runner

    def locate(self) -> None:
        """Request a stack dump, which its exit then includes; house bots do not support it."""
        if not self.exited.done():
            self._runner.order(Locate(self.seat))

    async def stop(self) -> Exit:
        """Stop it if it is running, and wait until all its processes are gone."""
        if not self.exited.done():
            self._runner.order(Stop(self.seat))
        return await asyncio.shield(self.exited)


class Runner:
    """A runner process that is restarted after crashes. Create one with `start`."""

    def __init__(self, settings: RunnerSettings, folder: Path, lock: int) -> None:
        self.settings = settings
        self.folder = folder
        self.isolation = "none"
        self.missing: tuple[str, ...] = ()
        self.runtime: BotRuntime | None = None
        """The contents of the sandbox of uploaded bots, once they are known; see `look`."""
        self.restarts = 0
        self.on_lost: list[Callable[[], None]] = []
        """Called after the runner process has crashed, when all its seats are marked as lost."""
        self._lock = lock
        self._seats: dict[str, SeatHandle] = {}
        self._installs: dict[int, asyncio.Future[Installed]] = {}
        self._number = 0
        self._writer: asyncio.StreamWriter | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._up = asyncio.Event()
        self._closing = False
        self._keeping: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, settings: RunnerSettings) -> Runner:
        """Start a runner and return it when it is ready.

        Raises:
            ValueError: the path of the run folder is too long.
            OSError: the run folder cannot be created.
            RunnerGone: the process does not start.
        """
        folder, lock = make_instance(settings.run)
        runner = cls(settings, folder, lock)
        runner._keeping = asyncio.ensure_future(runner._keep())
        try:
            await runner._wait_up()
        except BaseException:
            await runner.close()
            raise
        return runner

    @property
    def pid(self) -> int | None:
        """The process id of the runner, if it is running."""
        return None if self._process is None else self._process.pid

    async def install(self, sha256: str, archive: Path) -> None:
        """Install an archive for seats; an archive that is already installed is not checked again.

        Raises:
            ArchiveRefused: it breaks a rule.
            CannotStore: this machine failed.
            RunnerGone: the runner crashed during the installation.
        """
        await self._wait_up()
        self._number += 1
        number = self._number
        answer: asyncio.Future[Installed] = asyncio.get_running_loop().create_future()
        self._installs[number] = answer
        try:
            self.order(Install(number, sha256, str(archive.resolve())))
            installed = await answer
        finally:
            del self._installs[number]
        if installed.refused is not None:
            raise ArchiveRefused("reported", problem=installed.refused)
        if installed.failed is not None:
            raise CannotStore(installed.failed)

    async def seat(self, process: SeatProcess) -> SeatHandle:
        """Start the process of a seat; failures to start are reported by its exit.

        Raises:
            CannotIsolate: it is an uploaded bot, and these are refused here.
            RunnerGone: no runner is available.
            ValueError: a seat with this id exists.
        """
        await self._wait_up()
        if process.id in self._seats:
            raise ValueError(f"seat {process.id!r} has a process already")
        match process.place:
            case HouseBot(spec):
                start = Start(process.id, spec, None, str(process.socket), process.low_priority)
            case Uploaded(sha256):
                if self.isolation == "none":
                    raise CannotIsolate(self.missing)
                start = Start(process.id, None, sha256, str(process.socket), process.low_priority)
        handle = SeatHandle(self, process.id)
        self._seats[process.id] = handle
        self.order(start)
        return handle

    def look(self) -> None:
        """Request the contents of `runtime`, unless they are known or already requested."""
        if self.runtime is None:
            self.order(Look())

    async def close(self) -> None:
        """Stop the runner and all its seats. Idempotent."""
        if self._closing:
            return
        self._closing = True
        self._up.set()  # wakes all waiting callers, which then fail
        if self._writer is not None:
            self._writer.close()
        if self._keeping is not None:
            # The runner exits when it detects that the connection is closed.
            with contextlib.suppress(TimeoutError, asyncio.CancelledError):
                async with asyncio.timeout(START_SECONDS):
                    await asyncio.shield(self._keeping)
            self._keeping.cancel()
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)

    def order(self, order: Order) -> None:
        """Send an order to the runner; if it has exited, this is detected elsewhere."""
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(line_of(order))

    async def _wait_up(self) -> None:
        try:
            async with asyncio.timeout(START_SECONDS):
                while not (self._closing or self._up.is_set()):
                    await self._up.wait()
        except TimeoutError:
            raise RunnerGone("the runner does not come up") from None
        if self._closing:
            raise RunnerGone("the runner is closed")

    async def _keep(self) -> None:
        """Start the process, and restart it whenever it exits."""
        pause = _FIRST_PAUSE
        while not self._closing:
            if await self._live():
                pause = _FIRST_PAUSE
            self._lose()
            if not self._closing:
                self.restarts += 1
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)

    async def _live(self) -> bool:
        """Run one process until it exits. Return whether it ever became ready."""
        ours, theirs = socket.socketpair()
        paths = [str(_PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])]
        with theirs:
            # Without preexec_fn, no Python code runs between fork and exec, as gRPC requires.
            self._process = subprocess.Popen(  # noqa: S603 - it takes a millisecond
                [
                    self.settings.python,
                    "-P",
                    "-m",
                    "damrak_referee.runner",
                    str(theirs.fileno()),
                ],
                pass_fds=(theirs.fileno(), self._lock),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            )
        reader, self._writer = await asyncio.open_connection(sock=ours, limit=LINE_LIMIT)
        self.order(Begin(self.settings.to_json(), str(self.folder)))
        # `close` has closed the previous connection; this runner only cleans up after it.
        if self._closing:
            self._writer.close()
        try:
            with contextlib.suppress(ConnectionError):
                while (line := await reader.readline()).endswith(b"\n"):
                    self._hear(parse_report(line))
        except ValueError as problem:
            sys.stderr.write(f"the runner said something wrong: {problem}\n")
            self._process.kill()
        finally:
            came_up = self._up.is_set()
            self._up.clear()
            self._writer.close()  # if it is still running, it will now end all seats and exit
        await asyncio.to_thread(self._process.wait)
        self._process = None
        return came_up

    def _hear(self, report: Report) -> None:
        match report:
            case Up(isolation, missing):
                self.isolation, self.missing = isolation, tuple(missing)
                self._up.set()
            case Installed(number):
                if (answer := self._installs.get(number)) is not None and not answer.done():
                    answer.set_result(report)
            case Looked(runtime, failed):
                if runtime is not None:
                    self.runtime = parse_runtime(runtime)
                else:
                    sys.stderr.write(f"{failed}\n")
            case Exited():
                handle = self._seats.pop(report.seat, None)
                if handle is not None:
                    handle.exited.set_result(
                        Exit(
                            cause=report.cause,
                            detail=report.detail,
                            owner=report.owner,
                            output=report.output,
                            cpu_us=report.cpu_us,
                            memory_bytes=report.memory_bytes,
                            stack=report.stack,
                        )
                    )

    def _lose(self) -> None:
        """Mark all seats and installations of the process as lost."""
        lost = Verdict("lost", "the runner died", "host")
        seats, self._seats = self._seats, {}
        for handle in seats.values():
            if not handle.exited.done():
                handle.exited.set_result(Exit(lost.cause, lost.detail, lost.owner))
        for answer in self._installs.values():
            if not answer.done():
                answer.set_exception(RunnerGone("the runner died"))
        if not self._closing:
            for callback in self.on_lost:
                callback()
