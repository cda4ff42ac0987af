"""Benchmark of decisions per second, of one match and of many, compared with the bare exchange."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final

from grpc.aio import Channel

from damrak.benchmark.referee.echo import take_turns
from damrak.benchmark.referee.loop import elsewhere, run
from damrak.benchmark.referee.process import Server, echo, referee
from damrak.benchmark.referee.seats import channels, play_round

MANY: Final = 64
LEAST_DECISIONS: Final = {1: 400, MANY: 1500}  # a shorter window is not meaningful


@dataclass(frozen=True, slots=True)
class Exchange:
    """One measurement of the echo."""

    rate: float
    cpu_us: float  # processor time of server and clients per answer


@dataclass(slots=True)
class Window:
    """One measurement of the referee."""

    rate: float
    sent: float  # mean bytes of a decision
    received: float  # mean bytes of a question
    cpu_us: float  # processor time of server and clients per decision
    shares: list[int] = field(default_factory=list)  # the referee's own share, us


def measure(windows: int, seconds: float) -> dict[str, Any]:
    """Measure both in alternating windows, so that a busy machine affects them alike."""
    return {
        "single": _pair(1, windows, seconds),
        "concurrent": _pair(MANY, windows, seconds),
    }


def _pair(matches: int, windows: int, seconds: float) -> dict[str, Any]:
    played: list[Window] = []
    echoed: list[Exchange] = []
    with referee("--capacity", str(matches)) as server:
        for number in range(windows):
            window = elsewhere(_window, server, matches, seconds, number)
            played.append(window)
            with echo(round(window.received)) as bare:
                echoed.append(elsewhere(_echo, bare, matches, round(window.sent), seconds))
    pairs = list(zip(played, echoed, strict=True))
    shares = sorted(share for window in played for share in window.shares)
    return {
        "decisions_per_s": round(median(window.rate for window in played)),
        "echo_per_s": round(median(exchange.rate for exchange in echoed)),
        "ratio": round(median(w.rate / e.rate for w, e in pairs), 3),
        "cpu_us": round(median(window.cpu_us for window in played), 1),
        "echo_cpu_us": round(median(exchange.cpu_us for exchange in echoed), 1),
        "cpu_ratio": round(median(e.cpu_us / w.cpu_us for w, e in pairs), 3),
        "p50_us": shares[len(shares) // 2],
        "p99_us": shares[len(shares) * 99 // 100],
        "question_bytes": round(median(window.received for window in played)),
        "decision_bytes": round(median(window.sent for window in played)),
    }


def _window(server: Server, matches: int, seconds: float, number: int) -> Window:
    return run(_rounds(server, matches, seconds, number))


async def _rounds(server: Server, matches: int, seconds: float, number: int) -> Window:
    decisions = sent = received = 0
    spent = cpu = 0.0
    shares: list[int] = []
    turn = 0
    async with channels(server.listen, 2 * matches) as places:
        # As with the echo, exclude the first use of connections and processes.
        await play_round(server, matches, f"w{number}.warm-up", places)
        while spent < seconds or decisions < LEAST_DECISIONS[matches]:
            this, reports = await play_round(server, matches, f"w{number}.{turn}", places)
            turn += 1
            spent += this.seconds
            cpu += this.tally.cpu
            decisions += this.tally.decisions
            sent += this.tally.sent
            received += this.tally.received
            for report in reports:
                shares += report.timings.queue_us
    return Window(
        decisions / spent, sent / decisions, received / decisions, cpu / decisions * 1e6, shares
    )


def _echo(server: Server, matches: int, size: int, seconds: float) -> Exchange:
    return run(_exchange(server, matches, size, seconds))


async def _exchange(server: Server, matches: int, size: int, seconds: float) -> Exchange:
    async with channels(server.listen, 2 * matches) as places:
        tables = list(zip(places[::2], places[1::2], strict=True))
        await _for_a_while(tables, size, min(1.0, seconds))
        clock = asyncio.get_running_loop().time
        began, cpu = clock(), server.cpu_seconds + time.process_time()
        done = await _for_a_while(tables, size, seconds)
        cpu = server.cpu_seconds + time.process_time() - cpu
        return Exchange(done / (clock() - began), cpu / done * 1e6)


async def _for_a_while(tables: list[tuple[Channel, Channel]], size: int, seconds: float) -> int:
    enough = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, enough.set)
    return sum(
        await asyncio.gather(*[take_turns(first, second, size, enough) for first, second in tables])
    )
