"""Warm processes for house bots, which are part of the package and trusted.

A process serves one seat after another, never two at once. It reads lines of JSON, each with an
address and a bot, and writes a line when it has left that seat. An interrupted one is discarded.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Final

from damrak_referee.runner.messages import Exited
from damrak_referee.runner.output import Capture, Kept
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.runner.spawn import Command, Process, reap_orphans, spawn
from damrak_referee.runner.verdict import Verdict, judge_house

HOUSE_MODULE: Final = "damrak.remote.house"
_DONE: Final = {"done": True}
_LINE_LIMIT: Final = 1 << 16
_KEPT: Final = frozenset(
    {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "LD_LIBRARY_PATH"}
)


class Worker:
    """A warm process."""

    def __init__(self, settings: RunnerSettings, low_priority: bool) -> None:
        self._settings = settings
        output, self._output_end = os.pipe()
        orders, self._orders = os.pipe()
        self._answers, answers = os.pipe()
        try:
            self.process: Process = spawn(
                Command(
                    [settings.python, "-P", "-m", HOUSE_MODULE],
                    {
                        **{name: os.environ[name] for name in _KEPT & os.environ.keys()},
                        "PYTHONHASHSEED": "0",
                        "PYTHONUNBUFFERED": "1",
                    },
                    {resource.RLIMIT_CORE: (0, 0)},
                    stdin=orders,
                    stdout=answers,
                    stderr=self._output_end,
                    low_priority=low_priority,
                )
            )
        except BaseException:
            for descriptor in (output, self._orders, self._answers):
                os.close(descriptor)
            raise
        finally:
            for descriptor in (orders, answers, self._output_end):
                os.close(descriptor)
        os.set_blocking(self._answers, False)
        self.kept = self._fresh()
        self._capture = Capture(output, self.kept, settings.output_limit, self.process.kill)
        self._line = b""
        self.on_done: Callable[[], None] = lambda: None
        asyncio.get_running_loop().add_reader(self._answers, self._hear)

    def seat(self, bot: str, address: str) -> None:
        """Let the process play a seat; `on_done` is called when it has left it."""
        self.kept = self._capture.kept = self._fresh()
        with contextlib.suppress(BrokenPipeError):  # it has exited, which `process` reports
            os.write(self._orders, json.dumps({"address": address, "bot": bot}).encode() + b"\n")

    def text(self) -> str:
        """Return what it has printed at this seat."""
        self._capture.drain()
        return self.kept.text()

    async def end(self) -> int:
        """Kill the process, and return its exit status."""
        self.process.kill()
        status = await self.process.ended()
        self._capture.close()
        self.process.close()
        asyncio.get_running_loop().remove_reader(self._answers)
        os.close(self._answers)
        os.close(self._orders)
        return status

    def _fresh(self) -> Kept:
        return Kept(self._settings.output_head, self._settings.output_tail)

    def _hear(self) -> None:
        try:
            data = os.read(self._answers, 1 << 12)
        except BlockingIOError:
            return
        if not data:
            asyncio.get_running_loop().remove_reader(self._answers)
            return
        *lines, self._line = (self._line + data).split(b"\n")
        if len(self._line) > _LINE_LIMIT:
            self.process.kill()
        for line in lines:
            if _is_done(line):
                self.on_done()
            else:
                self.kept.add(line + b"\n")


class Pool:
    """Idle processes of one priority, the most recently used first."""

    def __init__(self, settings: RunnerSettings, low_priority: bool) -> None:
        self._settings = settings
        self._low_priority = low_priority
        self._idle: list[tuple[Worker, asyncio.Task[None]]] = []
        self._ending: set[asyncio.Task[int]] = set()

    def take(self) -> Worker:
        """Return an idle process, or a new one if there is none.

        Raises:
            OSError: none can be started.
        """
        while self._idle:
            worker, patience = self._idle.pop()
            patience.cancel()
            return worker
        return Worker(self._settings, self._low_priority)

    def give_back(self, worker: Worker) -> None:
        """Take back a process that has left its seat."""
        self._idle.append((worker, asyncio.ensure_future(self._await_end(worker))))

    async def close(self) -> None:
        """End all idle processes."""
        for worker, patience in self._idle:
            patience.cancel()
            await worker.end()
        self._idle.clear()

    async def _await_end(self, worker: Worker) -> None:
        """End an idle process when it has been idle for too long or has exited."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settings.house_idle_seconds):
                await worker.process.ended()
        self._idle = [entry for entry in self._idle if entry[0] is not worker]
        await asyncio.shield(asyncio.ensure_future(worker.end()))
        reap_orphans()


class HouseSeat:
    """One house bot in one seat. Call `run` once; `stop` at any time."""

    def __init__(self, pool: Pool, seat: str, bot: str, socket: Path) -> None:
        self._pool = pool
        self._seat = seat
        self._bot = bot
        self._socket = socket
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """End it now."""
        self._stop.set()

    async def run(self) -> Exited:
        """Seat the bot, and wait until it has left."""
        try:
            worker = self._pool.take()
        except OSError as problem:
            lost = Verdict("lost", f"a house bot could not be started: {problem}", "host")
            return self._exited(lost, "")
        done = asyncio.Event()
        worker.on_done = done.set
        worker.seat(self._bot, f"unix:{self._socket}")
        waits = [
            asyncio.ensure_future(wait)
            for wait in (done.wait(), self._stop.wait(), worker.process.ended())
        ]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        ended = waits[2].done()
        for wait in waits:
            wait.cancel()
        if done.is_set() and not ended:
            text = worker.text()
            self._pool.give_back(worker)
            return self._exited(Verdict("ended", "the house bot left its seat", "bot"), text)
        status = await worker.end()
        reap_orphans()
        if ended and not done.is_set():
            verdict = judge_house(status)
        elif done.is_set():
            verdict = Verdict("ended", "the house bot left its seat", "bot")
        else:
            verdict = Verdict("stopped", "stopped by the referee", "host")
        return self._exited(verdict, worker.kept.text())

    def _exited(self, verdict: Verdict, output: str) -> Exited:
        return Exited(self._seat, verdict.cause, verdict.detail, verdict.owner, output, 0, 0)


def _is_done(line: bytes) -> bool:
    try:
        return bool(json.loads(line) == _DONE)
    except ValueError:
        return False
