"""Benchmark of a crowd: a thousand idle bots and hundreds of matches on one referee process."""

from __future__ import annotations

import asyncio
import hashlib
import resource
from typing import Any, Final

import grpc

from damrak.benchmark.referee.loop import elsewhere, run
from damrak.benchmark.referee.process import Server, referee
from damrak.benchmark.referee.seats import channel, channels, play_round
from damrak.errors import HostError
from damrak_proto.v1 import control_pb2, control_pb2_grpc, lobby_pb2, lobby_pb2_grpc, table_pb2

FILES: Final = 16_384
SOFTWARE: Final = "damrak-benchmark"


def measure(idle: int, matches: int) -> dict[str, Any]:
    """Return faults, memory, and the referee's own share of the time of each decision."""
    with referee("--capacity", str(matches)) as server:
        before = server.memory_bytes
        shares, faults, decisions, seconds = elsewhere(_crowd, server, idle, matches)
        after = server.memory_bytes
    shares.sort()
    return {
        "idle": idle,
        "matches": matches,
        "faults": faults,
        "decisions_per_s": round(decisions / seconds),
        "p50_us": shares[len(shares) // 2],
        "p99_us": shares[len(shares) * 99 // 100],
        "memory_mb": round(after / 2**20, 1),
        "memory_empty_mb": round(before / 2**20, 1),
    }


def _crowd(server: Server, idle: int, matches: int) -> tuple[list[int], int, int, float]:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if most == resource.RLIM_INFINITY else min(FILES, most)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
    return run(_play_among(server, idle, matches))


async def _play_among(server: Server, idle: int, matches: int) -> tuple[list[int], int, int, float]:
    async with channel(server.control) as master:
        stub = control_pb2_grpc.ControlStub(master)
        tokens = [
            control_pb2.BotToken(
                bot=f"idle {number}", sha256=hashlib.sha256(_token(number).encode()).hexdigest()
            )
            for number in range(idle)
        ]
        await stub.SetBotTokens(control_pb2.SetBotTokensRequest(tokens=tokens))
        arrived = asyncio.Semaphore(0)
        waiting = [asyncio.create_task(_wait(server, number, arrived)) for number in range(idle)]
        for _ in waiting:
            await arrived.acquire()
        async with channels(server.listen, 2 * matches) as places:
            this, reports = await play_round(server, matches, "crowd", places)
        gone = [task for task in waiting if task.done()]
        if gone:
            raise HostError(f"{len(gone)} of {idle} waiting bots lost their connection")
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    shares = [share for report in reports for share in report.timings.queue_us]
    faults = sum(seat.HasField("fault") for report in reports for seat in report.seats)
    return shares, faults, this.tally.decisions, this.seconds


async def _wait(server: Server, number: int, arrived: asyncio.Semaphore) -> None:
    async with channel(server.listen) as own:
        call = lobby_pb2_grpc.LobbyStub(own).Wait(
            metadata=(("authorization", f"Bearer {_token(number)}"),)
        )
        hello = table_pb2.Hello(lowest_version=1, highest_version=1, software=SOFTWARE)
        arrival = lobby_pb2.Arrival(hello=hello, capacity=1)
        await call.write(lobby_pb2.WaitRequest(arrival=arrival))
        await call.read()
        arrived.release()
        await call.read()  # waits until the end, because no call comes
        if await call.code() != grpc.StatusCode.CANCELLED:
            raise ConnectionError(await call.details())


def _token(number: int) -> str:
    return f"idle-{number:06}-{'x' * 32}"
