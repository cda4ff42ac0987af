"""Benchmark of floods: how much floods of a referee's public address delay a running match."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Final

import grpc

from damrak.benchmark.referee.flood import KINDS
from damrak.benchmark.referee.loop import elsewhere, run
from damrak.benchmark.referee.orders import OPEN, block
from damrak.benchmark.referee.process import Server, referee
from damrak.benchmark.referee.seats import PLAY, channel
from damrak_proto.v1 import control_pb2, control_pb2_grpc, table_pb2
from damrak_wire.orders import encode_block

THINK_S: Final = 0.005  # of a seat, before each answer
WARM_UP_S: Final = 1.0
TARGET: Final = 2.0


def measure(
    seconds: float, tell: Callable[[str], None], kinds: Sequence[str] = tuple(KINDS)
) -> dict[str, Any]:
    """Return latencies of a match in ms: undisturbed, then during each kind of flood.

    A latency is the time from an answer to the next question. A stalled match asks no questions, so
    each latency counts as often as the match would have asked in that time.
    """
    floods = {}
    for kind in kinds:
        tell(f"a match during a flood: {kind}")
        # A new referee each time, because a flood may leave traces that affect the next one.
        with referee("--capacity", "16", listen="127.0.0.1:0") as server:
            quiet, flooded = elsewhere(_latencies, server, kind, seconds)
        floods[kind] = {
            "undisturbed_p99_ms": round(_p99(quiet), 2),
            "p99_ms": round(_p99(flooded), 2),
            "ratio": round(_p99(flooded) / _p99(quiet), 2),
            "worst_ms": round(max(flooded), 2),
        }
    return {"seconds": seconds, "floods": floods}


@contextmanager
def _flood(kind: str, server: Server) -> Iterator[None]:
    host, _, port = server.listen.rpartition(":")
    command = [sys.executable, "-m", "damrak.benchmark.referee.flood", kind, host, port]
    attacker = subprocess.Popen(command)  # noqa: S603 - our own module
    try:
        yield
    finally:
        attacker.kill()
        attacker.wait()


def _latencies(server: Server, kind: str, seconds: float) -> tuple[list[float], list[float]]:
    return run(_play(server, kind, seconds))


async def _play(server: Server, kind: str, seconds: float) -> tuple[list[float], list[float]]:
    """Play matches one after another on the same connections, first undisturbed."""
    async with channel(server.listen) as first, channel(server.listen) as second:
        places = (first, second)
        await _matches(server, places, WARM_UP_S)
        quiet = await _matches(server, places, seconds)
        with _flood(kind, server):
            return quiet, await _matches(server, places, seconds)


async def _matches(
    server: Server, places: tuple[grpc.aio.Channel, grpc.aio.Channel], seconds: float
) -> list[float]:
    latencies: list[float] = []
    until = perf_counter() + seconds
    while perf_counter() < until:
        await _match(server, places, f"match {perf_counter()}", until, latencies)
    return latencies


async def _match(
    server: Server,
    places: tuple[grpc.aio.Channel, grpc.aio.Channel],
    name: str,
    until: float,
    latencies: list[float],
) -> None:
    answered = perf_counter()  # a match that does not begin is stalled, too

    def asked() -> None:
        waited = perf_counter() - answered
        while waited > 0:
            latencies.append(waited * 1000)
            waited -= THINK_S

    async def sit(place: grpc.aio.Channel, ticket: str) -> None:
        nonlocal answered
        call: grpc.aio.StreamStreamCall[bytes, bytes] = place.stream_stream(PLAY)()
        hello = table_pb2.Hello(lowest_version=1, highest_version=1, software="damrak-benchmark")
        join = table_pb2.PlayRequest(join=table_pb2.Join(hello=hello, ticket=ticket))
        await call.write(join.SerializeToString())
        await call.read()
        ready = table_pb2.PlayRequest(ready=table_pb2.Ready(name="any"))
        await call.write(ready.SerializeToString())
        while isinstance(data := await call.read(), bytes):
            said = table_pb2.PlayResponse.FromString(data)
            if said.WhichOneof("message") == "question":
                asked()
                await asyncio.sleep(THINK_S)
                decision = table_pb2.Decision(
                    decision=said.question.decision, action=said.question.legal[0], think_us=1
                )
                answered = perf_counter()
                await call.write(table_pb2.PlayRequest(decision=decision).SerializeToString())
            elif said.WhichOneof("message") == "ending":
                await call.done_writing()

    async with channel(server.control) as master:
        stub = control_pb2_grpc.ControlStub(master)
        started = await stub.StartBlock(encode_block(block(name, [OPEN, OPEN], 1)))
        follow = stub.FollowBlock(control_pb2.FollowBlockRequest(block=name, attempt=1))
        seats = [
            asyncio.create_task(sit(place, ticket.ticket))
            for ticket, place in zip(started.tickets, places, strict=True)
        ]
        await asyncio.wait(seats, timeout=max(0.0, until - perf_counter()))
        if not all(seat.done() for seat in seats):
            asked()  # a stall that lasts until the end counts, too
        for seat in seats:
            seat.cancel()
        follow.cancel()
        for problem in await asyncio.gather(*seats, return_exceptions=True):
            if isinstance(problem, Exception):
                raise problem


def _p99(latencies: list[float]) -> float:
    return sorted(latencies)[len(latencies) * 99 // 100]
