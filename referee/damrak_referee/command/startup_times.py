"""Measurement of how long a bot takes to be ready, in a sandbox and as a bare process."""

from __future__ import annotations

import asyncio
import hashlib
import io
import os
import statistics
import sys
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
import grpc.aio

from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl
from damrak_engine.options import DEFAULTS
from damrak_engine.rules import rules_for
from damrak_referee.runner.client import Runner, SeatProcess, Uploaded
from damrak_referee.server.seat_service import SERVICE
from damrak_wire.table import Ready, Welcome, parse_request, welcome

PATIENCE_S: Final = 60.0
BOT: Final = """\
from damrak import Bot


class First(Bot):
    def choose(self, view):
        return view.legal[0]
"""


@dataclass(frozen=True, slots=True)
class Startup:
    """Milliseconds until the bot was ready, and of processor time until it was then stopped."""

    ready_ms: float
    cpu_ms: float


def middle(starts: list[Startup]) -> dict[str, float]:
    """Return the medians and the minima of several starts."""
    ready = [start.ready_ms for start in starts]
    cpu = [start.cpu_ms for start in starts]
    return {
        "ready_ms": round(statistics.median(ready), 1),
        "ready_ms_min": round(min(ready), 1),
        "cpu_ms": round(statistics.median(cpu), 1),
        "cpu_ms_min": round(min(cpu), 1),
    }


async def measure(runner: Runner, starts: int) -> Mapping[str, list[Startup]]:
    """Measure starts of each kind alternately, so that load on the machine affects both.

    Raises:
        RunnerError: sandboxes are not available.
        TimeoutError: a bot did not get ready.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.py", BOT)
    sha256 = hashlib.sha256(packed.getvalue()).hexdigest()
    path = runner.folder / "first.zip"
    path.write_bytes(packed.getvalue())
    await runner.install(sha256, path)
    bare = runner.folder / "first"
    bare.mkdir()
    (bare / "bot.py").write_text(BOT)
    found: dict[str, list[Startup]] = {"sandbox": [], "bare": []}
    for number in range(starts + 1):
        pair = {
            "sandbox": await _in_sandbox(runner, number, sha256),
            "bare": await _bare(runner, number, bare),
        }
        if number:  # the first fills the file caches
            for kind, start in pair.items():
                found[kind].append(start)
    return found


class _Seat:
    """A server that welcomes one bot and waits until it is ready."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self._ready = asyncio.Event()
        self._server = grpc.aio.server()
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(
            self._play
        )
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),)
        )
        self._server.add_insecure_port(f"unix:{socket}")

    async def __aenter__(self) -> _Seat:
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop(None)

    async def ready(self) -> float:
        """Wait until the bot is ready; return the time by `time.perf_counter`."""
        async with asyncio.timeout(PATIENCE_S):
            await self._ready.wait()
        return time.perf_counter()

    async def _play(self, _: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        await context.read()
        rules = rules_for(load_board("amsterdam"), 2, DEFAULTS)
        seat = Welcome("m", 0, rules, TimeControl(), bytes(32), "0" * 64)
        await context.write(welcome(seat))
        said = await context.read()
        if isinstance(parse_request(bytes(said)), Ready):
            self._ready.set()
        await asyncio.Event().wait()


async def _in_sandbox(runner: Runner, number: int, sha256: str) -> Startup:
    async with _Seat(runner.folder / f"s{number}.sock") as seat:
        began = time.perf_counter()
        handle = await runner.seat(SeatProcess(f"s{number}", Uploaded(sha256), seat.socket))
        try:
            ready = await seat.ready()
        finally:
            exit = await handle.stop()
    return Startup((ready - began) * 1000, exit.cpu_us / 1000)


async def _bare(runner: Runner, number: int, bot: Path) -> Startup:
    async with _Seat(runner.folder / f"b{number}.sock") as seat:
        environment = {
            **os.environ,
            "DAMRAK_ADDRESS": f"unix:{seat.socket}",
            "PYTHONHASHSEED": "0",
        }
        program = [sys.executable, "-m", "damrak.remote.seat", str(bot)]
        began = time.perf_counter()
        process = os.posix_spawn(program[0], program, environment)
        try:
            ready = await seat.ready()
        finally:
            os.kill(process, 9)
            used = os.wait4(process, 0)[2]
    return Startup((ready - began) * 1000, (used.ru_utime + used.ru_stime) * 1000)
