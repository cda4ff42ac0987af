"""The process of the runner: `python -m damrak_referee.runner DESCRIPTOR`.

It receives orders through the descriptor until the connection ends, which means that its referee is
gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from damrak_archive.errors import ArchiveRefused
from damrak_referee.runner.gate import Gate
from damrak_referee.runner.house import HouseSeat, Pool
from damrak_referee.runner.instance import is_held, sweep_instances
from damrak_referee.runner.isolation import Isolation, find_isolation
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
    parse_order,
)
from damrak_referee.runner.offer import find_offer
from damrak_referee.runner.optional import OptionalRuntime, find_runtimes
from damrak_referee.runner.runtime import compile_packages
from damrak_referee.runner.seat import House, UploadedSeat
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.runner.slots import NoSlot, Slots
from damrak_referee.runner.spawn import adopt_orphans, bury_orphans, raise_open_files
from damrak_referee.runner.store import Store

SWEEP_SECONDS: Final = 10.0


class Service:
    """All seats and installations of one referee."""

    def __init__(
        self,
        settings: RunnerSettings,
        folder: Path,
        isolation: Isolation,
        slots: Slots | None,
        store: Store,
        writer: asyncio.StreamWriter,
        runtimes: Mapping[str, OptionalRuntime],
    ) -> None:
        empty = folder / "empty"
        empty.mkdir(exist_ok=True)
        self._store = store
        self._gate = Gate(settings.python) if isolation.tools is not None else None
        self._house = House(settings, isolation, slots, empty, self._gate, runtimes)
        # Only root could raise the priority of a process again.
        self._pools = {low: Pool(settings, low) for low in (False, True)}
        self._writer = writer
        self._seats: dict[str, UploadedSeat | HouseSeat] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None

    def obey(self, order: Order) -> None:
        """Execute an order; its report follows."""
        match order:
            case Install(number, sha256, archive):
                self._begin(self._install(number, sha256, Path(archive)))
            case Start():
                self._start(order)
            case Stop(seat):
                if seat in self._seats:
                    self._seats[seat].stop()
            case Locate(seat):
                located = self._seats.get(seat)
                if isinstance(located, UploadedSeat):
                    located.locate()
            case Look():
                if self._looking is None and self._house.isolation.mode != "none":
                    self._looking = asyncio.ensure_future(self._look())
            case Begin():
                raise ValueError("begun twice")

    async def sweep(self) -> None:
        """Remove the leftovers of other runners that have crashed since this one started."""
        run = self._house.settings.run
        sweep_instances(run)
        self._store.sweep(partial(is_held, run))
        if self._house.isolation.groups is not None:
            await self._house.isolation.groups.sweep(partial(is_held, run))

    async def gate_lost(self) -> None:
        """Wait for the end of the relay, without which sandboxes cannot communicate."""
        if self._gate is None:
            await asyncio.Event().wait()
        else:
            await self._gate.process.ended()

    async def close(self) -> None:
        """Stop all seats and close all resources."""
        for seat in self._seats.values():
            seat.stop()
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])
        while self._tasks:
            await asyncio.wait(self._tasks)
        for pool in self._pools.values():
            await pool.close()
        if self._gate is not None:
            await self._gate.end()

    def say(self, report: Report) -> None:
        """Send a report to the referee, if it is connected."""
        if not self._writer.is_closing():
            self._writer.write(line_of(report))

    def _begin(self, work: object) -> None:
        task = asyncio.ensure_future(work)  # type: ignore[call-overload]
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if (problem := task.exception()) is not None:
            # The state of the seat is unknown: the referee is to count it as lost.
            sys.stderr.write(f"the runner failed: {problem!r}\n")
            os.kill(os.getpid(), signal.SIGTERM)

    async def _install(self, number: int, sha256: str, archive: Path) -> None:
        try:
            await self._store.install(sha256, archive)
        except ArchiveRefused as refusal:
            self.say(Installed(number, refused=refusal.why))
        except (OSError, NoSlot) as problem:
            self.say(Installed(number, failed=str(problem)))
        else:
            self.say(Installed(number))

    async def _look(self) -> None:
        house = self._house
        uid: int | None = None
        try:
            if house.slots is not None and house.isolation.mode != "unsafe":
                uid = house.slots.take()
            found = await find_offer(
                house.settings, house.isolation, house.empty, uid, house.runtimes
            )
        except (OSError, NoSlot) as problem:
            self.say(Looked(None, failed=str(problem)))
        else:
            self.say(Looked(found.to_json()))
        finally:
            if uid is not None and house.slots is not None:
                house.slots.give_back(uid)

    def _start(self, order: Start) -> None:
        seat: UploadedSeat | HouseSeat
        path = Path(order.socket)
        if order.house is not None:
            seat = HouseSeat(self._pools[order.low_priority], order.seat, order.house, path)
        else:
            bot = None if order.archive is None else self._store.find(order.archive)
            problem = None if bot is not None else "its archive is not in the store"
            if self._house.isolation.mode == "none":
                problem = "uploaded bots are refused here"
            elif bot is not None and bot.runtime not in (None, *self._house.runtimes):
                problem = f"the runtime {bot.runtime} is not installed here"
            if problem is not None or bot is None:
                self.say(Exited(order.seat, "lost", problem or "", "host", "", 0, 0))
                return
            seat = UploadedSeat(self._house, order.seat, bot, path, order.low_priority)
        self._seats[order.seat] = seat
        self._begin(self._run(order.seat, seat))

    async def _run(self, name: str, seat: UploadedSeat | HouseSeat) -> None:
        try:
            self.say(await seat.run())
        finally:
            del self._seats[name]


async def serve(line: socket.socket) -> None:
    """Serve the referee at the other end of this connection until it is closed."""
    reader, writer = await asyncio.open_connection(sock=line, limit=LINE_LIMIT)
    begin = parse_order(await reader.readline())
    assert isinstance(begin, Begin)
    settings, folder = RunnerSettings.from_json(begin.settings), Path(begin.folder)
    asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, bury_orphans)
    adopt_orphans()
    raise_open_files()
    slots = Slots(settings.first_uid) if os.geteuid() == 0 else None
    uid = -1 if slots is None else slots.take()
    sweep_instances(settings.run)

    def is_alive(name: str) -> bool:
        # Leftovers of a previous runner of this instance are removed, too.
        return name != folder.name and is_held(settings.run, name)

    isolation = await find_isolation(settings, folder, is_alive, uid)
    if slots is not None:
        slots.give_back(uid)
    with contextlib.ExitStack() as left:
        if isolation.groups is not None:
            left.callback(isolation.groups.close)
        await _work(settings, folder, isolation, slots, is_alive, reader, writer)


async def _work(
    settings: RunnerSettings,
    folder: Path,
    isolation: Isolation,
    slots: Slots | None,
    is_alive: Callable[[str], bool],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    terminated = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
    runtimes, unfit = find_runtimes(settings.runtimes)
    for line in unfit:
        sys.stderr.write(f"an optional runtime is not offered: {line}\n")
    store = Store(settings, folder.name, slots, runtimes)
    store.sweep(is_alive)
    service = Service(settings, folder, isolation, slots, store, writer, runtimes)
    service.say(Up(isolation.mode, list(isolation.missing)))
    hearing = asyncio.ensure_future(_hear(reader, service))
    ending = asyncio.ensure_future(terminated.wait())
    lost = asyncio.ensure_future(service.gate_lost())
    ends: set[asyncio.Future[Any]] = {hearing, ending, lost}
    while not any(end.done() for end in ends):
        await asyncio.wait(ends, timeout=SWEEP_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not any(end.done() for end in ends):
            await service.sweep()
    hung_up = hearing.done()
    if hung_up and (problem := hearing.exception()) is not None:
        sys.stderr.write(f"the runner did not understand its referee: {problem}\n")
    hearing.cancel()
    ending.cancel()
    lost.cancel()
    await service.close()
    await service.sweep()
    if hung_up:  # otherwise the referee is still running, and its sockets are in there
        shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        writer.close()
        await writer.wait_closed()


async def _hear(reader: asyncio.StreamReader, service: Service) -> None:
    with contextlib.suppress(ConnectionError):
        while line := await reader.readline():
            if not line.endswith(b"\n"):
                return  # the referee crashed while writing
            service.obey(parse_order(line))


def main() -> None:
    """Run the runner for the referee that started this process."""
    # Ctrl-C is for the referee, which ends this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = socket.socket(fileno=int(sys.argv[1]))
    os.umask(0o022)
    compile_packages()
    asyncio.run(serve(line))
