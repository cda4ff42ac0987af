"""The process of a seat from start to end: an uploaded bot in its own sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from damrak_referee.runner import sandbox
from damrak_referee.runner.gate import Gate
from damrak_referee.runner.groups import Group, Usage
from damrak_referee.runner.isolation import Isolation
from damrak_referee.runner.messages import Exited
from damrak_referee.runner.optional import OptionalRuntime
from damrak_referee.runner.output import Capture, Kept
from damrak_referee.runner.runtime import plain_environment
from damrak_referee.runner.sandbox import ADDRESS, BOT, Content
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.runner.slots import NoSlot, Slots
from damrak_referee.runner.spawn import (
    Command,
    Process,
    full_pipe,
    reap_orphans,
    spawn,
)
from damrak_referee.runner.status import Status
from damrak_referee.runner.store import StoredBot
from damrak_referee.runner.verdict import Evidence, Verdict, judge, judge_plain
from damrak_wire.stack import SourceFolder

SEAT_MODULE: Final = "damrak.remote.seat"
# Without `site` an interpreter starts faster, and bots need nothing from it.
_PYTHON_OPTIONS: Final = ("-S", "-m", SEAT_MODULE)
_SHORTEST_LOOK: Final = 0.1
_SDK: Final = re.compile(r"/damrak/(hosting/|remote/|loading\.py$)")
_numbers: Final = itertools.count(1)


@dataclass(frozen=True, slots=True)
class House:
    """The objects that all seats of one runner share."""

    settings: RunnerSettings
    isolation: Isolation
    slots: Slots | None
    empty: Path
    gate: Gate | None  # None without sandboxes
    runtimes: Mapping[str, OptionalRuntime]


@dataclass(slots=True)
class _Started:
    """A running seat and its resources."""

    process: Process
    capture: Capture
    status: Status | None
    group: Group | None


class UploadedSeat:
    """The bot of one archive in one seat. Call `run` once, and `stop` at any time.

    Its runtime must be one of the house. With `is_low`, it has low priority.
    """

    def __init__(self, house: House, seat: str, bot: StoredBot, socket: Path, is_low: bool) -> None:
        self._house = house
        self._seat = seat
        self._bot = bot
        self._socket = socket
        self._is_low = is_low
        self._kill = asyncio.Event()
        self._started: _Started | None = None
        self._stopped = False
        self._clean = True
        chosen = None if bot.runtime is None else house.runtimes[bot.runtime]
        self._optional = chosen
        self._settings = house.settings if chosen is None else chosen.bounded(house.settings)
        self._output = Kept(house.settings.output_head, house.settings.output_tail)

    def stop(self) -> None:
        """Stop the process now."""
        self._stopped = True
        self._kill.set()

    def locate(self) -> None:
        """Request a stack dump, which `run` then returns; only Python programs support this."""
        started = self._started
        if started is None or self._bot.run is not None:
            return
        started.capture.drain()
        self._output.begin_dump()
        if started.status is not None:
            started.status.signal_program(signal.SIGUSR1)
        else:
            started.process.popen.send_signal(signal.SIGUSR1)

    async def run(self) -> Exited:
        """Start the process, wait until it exits, and clean up."""
        uid: int | None = None
        group: Group | None = None
        house = self._house
        usage = Usage()
        try:
            if house.slots is not None and house.isolation.mode != "unsafe":
                uid = house.slots.take()
            if (groups := house.isolation.groups) is not None:
                group = groups.make(str(next(_numbers)), self._settings, self._is_low)
            started = self._started = self._start(uid, group)
            evidence = await self._attend(started)
            if group is not None:
                usage = group.usage()
            plain = house.isolation.mode == "unsafe"
            verdict = (judge_plain if plain else judge)(evidence)
            # In that case the exit of the bot proves nothing.
            if house.gate is not None and house.gate.is_lost:
                verdict = Verdict("lost", "the relay has ended", "host")
        except (OSError, NoSlot) as problem:
            verdict = Verdict("lost", f"the sandbox could not be started: {problem}", "host")
        finally:
            self._started = None
            stack = self._end_dump()
            if house.gate is not None:
                house.gate.close(self._socket)
            reap_orphans()
            clean = (group is None or await group.remove()) and self._clean
            # An id whose processes may still be running must not be given to another bot.
            if uid is not None and house.slots is not None and clean:
                house.slots.give_back(uid)
        return Exited(
            seat=self._seat,
            cause=verdict.cause,
            detail=verdict.detail,
            owner=verdict.owner,
            output=self._output.text(),
            cpu_us=usage.cpu_us,
            memory_bytes=usage.memory_bytes,
            stack=stack,
        )

    def _end_dump(self) -> str:
        folder = self._bot.folder
        shown = str(folder) if self._house.isolation.mode == "unsafe" else BOT

        def is_ours(file: str) -> bool:
            return not file.startswith(f"{shown}/") and _SDK.search(file) is not None

        return self._output.end_dump(is_ours, SourceFolder(folder, shown))

    def _start(self, uid: int | None, group: Group | None) -> _Started:
        settings = self._settings
        bounds = sandbox.limits(
            settings,
            own_user=uid is not None,
            counted_together=group is not None,
            is_python=self._bot.run is None,
        )
        with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
            reading, writing = os.pipe()
            ours.callback(os.close, reading)
            theirs.callback(os.close, writing)
            entrances = () if group is None else tuple(group.entrances())
            for entrance in entrances:
                theirs.callback(os.close, entrance)
            status: Status | None = None
            # Without an environment: bubblewrap is process 1 inside, where bots could read it.
            environment: Mapping[str, str] = {}
            passed: tuple[int, ...] = ()
            folder: str | None = None
            if self._house.isolation.mode == "unsafe":
                command, environment = self._plain_command()
                folder = str(self._bot.folder)
            else:
                status, telling = Status.make()
                ours.callback(status.close)
                theirs.callback(os.close, telling)
                passed = (*self._sandbox_pipes(uid), telling)
                for pipe in passed[:2]:
                    theirs.callback(os.close, pipe)
                command = self._sandbox_command(uid, *passed)
            process = spawn(
                Command(
                    command,
                    environment,
                    bounds,
                    folder=folder,
                    pass_on=passed,
                    entrances=entrances,
                    low_priority=self._is_low,
                    stdout=writing,
                    stderr=writing,
                )
            )
            ours.pop_all()
        if status is not None:
            status.outer = process.pid
        capture = Capture(reading, self._output, settings.output_limit, self._kill.set)
        return _Started(process, capture, status, group)

    async def _attend(self, started: _Started) -> Evidence:
        process = started.process
        ended = asyncio.ensure_future(process.ended())
        killed = asyncio.ensure_future(self._kill.wait())
        spent = asyncio.ensure_future(self._time_spent(started.group))
        try:
            await asyncio.wait((ended, killed, spent), return_when=asyncio.FIRST_COMPLETED)
            alive = not ended.done()
            overtime = alive and not killed.done()
            process.kill()
            if self._house.isolation.mode == "unsafe":
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            outer = await ended
        finally:
            killed.cancel()
            spent.cancel()
            process.close()
        status = started.status
        if status is not None:
            self._clean = await status.inner_gone()
        if started.group is not None:
            started.group.kill()
        started.capture.close()
        inner = None if status is None else status.exit_code
        kills = 0 if started.group is None else started.group.usage().kills
        return Evidence(
            stopped=self._stopped and alive,
            overflow=started.capture.overflowed,
            memory_kills=kills,
            inner=inner,
            outer=outer,
            output=self._output.text(),
            overtime=overtime,
        )

    async def _time_spent(self, group: Group | None) -> None:
        """Wait until all processes together have used the CPU time that each of them may use."""
        if group is None:
            await asyncio.Event().wait()  # without a group nothing can be measured
            return
        most = self._house.settings.cpu_seconds
        while (left := most - group.usage().cpu_us / 1e6) > 0:
            # The limit cannot be reached earlier.
            await asyncio.sleep(max(left / (os.cpu_count() or 1), _SHORTEST_LOOK))

    def _sandbox_pipes(self, uid: int | None) -> tuple[int, int]:
        """Return two pipes for bubblewrap: its arguments, hidden from bots, and a filter."""
        isolation = self._house.isolation
        assert isolation.tools is not None
        assert isolation.runtime is not None
        assert self._house.gate is not None
        door = self._house.gate.open(self._socket, uid)
        optional = self._optional
        built = sandbox.arguments(
            isolation.tools,
            isolation.runtime if optional is None else optional.extended(isolation.runtime),
            self._settings,
            Content(str(self._bot.folder), str(door), str(self._house.empty)),
            {"DAMRAK_ADDRESS": ADDRESS},
            uid,
        )
        given = full_pipe("\0".join(built).encode() + b"\0")
        try:
            return given, full_pipe(isolation.tools.filter)
        except OSError:
            os.close(given)
            raise

    def _sandbox_command(self, uid: int | None, given: int, rules: int, telling: int) -> list[str]:
        tools, runtime = self._house.isolation.tools, self._house.isolation.runtime
        assert tools is not None
        assert runtime is not None
        command = self._program([runtime.interpreter, *_PYTHON_OPTIONS], BOT)
        inside = sandbox.command_inside(tools, self._settings, command, uid)
        outer = [tools.bubblewrap, "--args", str(given), "--seccomp", str(rules)]
        return [*outer, "--json-status-fd", str(telling), "--", *inside]

    def _plain_command(self) -> tuple[list[str], Mapping[str, str]]:
        settings = self._house.settings
        python = [settings.python, "-P", "-m", SEAT_MODULE]
        address = {"DAMRAK_ADDRESS": f"unix:{self._socket}"}
        packages = None if self._optional is None else self._optional.packages
        environment = {**plain_environment(packages), **address}
        return self._program(python, str(self._bot.folder)), environment

    def _program(self, python: list[str], folder: str) -> list[str]:
        if self._bot.run is not None:
            return list(self._bot.run)
        named = [] if self._bot.class_name is None else ["--class", self._bot.class_name]
        return [*python, folder, *named]
