"""House bots: warm processes that serve one seat after another."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from damrak_referee.runner.client import HouseBot, Runner, SeatHandle, SeatProcess
from damrak_referee.runner.priority import NICENESS
from damrak_referee.server.seat_service import seat_server
from damrak_referee.table.outcome import Outcome
from damrak_referee.table.table import Table
from processes import bots_of, is_alive, low_niceness, niceness
from sandboxes import PATIENCE, ground
from tables import order

pytestmark = pytest.mark.process


@asynccontextmanager
async def seated(
    runner: Runner, match: str, *bots: str, low_priority: bool = False
) -> AsyncIterator[tuple[Table, list[SeatHandle]]]:
    """Yield a table with house bots that are about to connect."""
    table = Table(order(len(bots), match=match), "referee")
    folder = runner.folder / match
    folder.mkdir()
    servers, handles = [], []
    try:
        for chair, bot in zip(table.chairs, bots, strict=True):
            socket = folder / f"{chair.seat}.sock"
            servers.append(seat_server(chair, socket))
            await servers[-1].start()
            seat = SeatProcess(f"{match}/{chair.seat}", HouseBot(bot), socket, low_priority)
            handles.append(await runner.seat(seat))
        yield table, handles
    finally:
        for handle in handles:
            await handle.stop()
        for server in servers:
            await server.stop(None)


async def play(runner: Runner, match: str, *bots: str, low_priority: bool = False) -> Outcome:
    """Play a whole match; afterwards every process has left its seat."""
    sitting = seated(runner, match, *bots, low_priority=low_priority)
    async with asyncio.timeout(PATIENCE), sitting as (table, handles):
        outcome = await table.play(600_000)
        for handle in handles:
            exit = await handle.exited
            assert (exit.cause, exit.owner) == ("ended", "bot"), exit
        return outcome


def test_processes_are_used_again_and_play_the_same() -> None:
    async def run() -> None:
        async with ground() as there:
            first = await play(there.runner, "00000001", "greedy", "random")
            assert there.runner.pid is not None
            processes = bots_of(there.runner.pid)
            assert len(processes) == 2
            second = await play(there.runner, "00000001x", "greedy", "random")
            assert bots_of(there.runner.pid) == processes
            assert first.replay is not None
            assert second.replay is not None
            assert first.replay.events == second.replay.events

    asyncio.run(run())


def test_processes_of_low_priority_serve_other_seats_of_low_priority_only() -> None:
    async def run() -> None:
        async with ground() as there:
            runner = there.runner
            assert runner.pid is not None
            await play(runner, "low", "greedy", "random", low_priority=True)
            low = bots_of(runner.pid)
            await play(runner, "usual", "greedy", "random")
            usual = bots_of(runner.pid) - low
            assert (len(low), len(usual)) == (2, 2)
            assert {niceness(one) for one in low} == {low_niceness()}
            assert {niceness(one) for one in usual} == {os.nice(0)}
            for one in low:
                session = Path(f"/proc/{one}/autogroup")
                assert not session.exists() or session.read_text().endswith(f" {NICENESS}\n")
            await play(runner, "low again", "greedy", "random", low_priority=True)
            await play(runner, "usual again", "greedy", "random")
            assert bots_of(runner.pid) == low | usual

    asyncio.run(run())


def test_more_seats_get_more_processes_and_idle_ones_go() -> None:
    async def run() -> None:
        async with ground(house_idle_seconds=0.2) as there:
            await asyncio.gather(
                *(play(there.runner, f"{n}", "random", "random") for n in range(3))
            )
            assert there.runner.pid is not None
            async with asyncio.timeout(PATIENCE):
                while bots_of(there.runner.pid):
                    await asyncio.sleep(0.05)
            await play(there.runner, "again", "random", "random")

    asyncio.run(run())


def test_a_seat_that_is_stopped_half_way_costs_its_process_only() -> None:
    async def run() -> None:
        async with ground() as there:
            async with seated(there.runner, "half", "mcts:ms=60000", "greedy") as (table, handles):
                playing = asyncio.create_task(table.play(600_000))
                async with asyncio.timeout(PATIENCE):
                    await table.begun.wait()
                    exits = [await handle.stop() for handle in handles]
                assert {exit.cause for exit in exits} == {"stopped"}
                table.void("host", "enough")
                assert (await playing).replay is None
            assert there.runner.pid is not None
            assert bots_of(there.runner.pid) == set()
            await play(there.runner, "after", "greedy", "greedy")

    asyncio.run(run())


def test_a_process_that_is_killed_is_the_hosts_loss() -> None:
    async def run() -> None:
        async with ground() as there:
            async with seated(there.runner, "kill", "mcts:ms=60000", "mcts:ms=60000") as (
                table,
                handles,
            ):
                playing = asyncio.create_task(table.play(600_000))
                async with asyncio.timeout(PATIENCE):
                    await table.begun.wait()
                    assert there.runner.pid is not None
                    victim = min(bots_of(there.runner.pid))
                    os.kill(victim, signal.SIGKILL)
                    done, _ = await asyncio.wait(
                        [handle.exited for handle in handles], return_when=asyncio.FIRST_COMPLETED
                    )
                exit = done.pop().result()
                assert (exit.cause, exit.owner) == ("lost", "host")
                table.void("host", "killed")
                await playing
            assert not is_alive(victim)

    asyncio.run(run())


def test_a_missing_bot_leaves_its_seat_with_a_reason() -> None:
    async def run() -> None:
        async with (
            asyncio.timeout(PATIENCE),
            ground() as there,
            seated(there.runner, "none", "nobody", "greedy") as (_, handles),
        ):
            exit = await handles[0].exited
            assert exit.cause == "ended"
            assert "nobody" in exit.output

    asyncio.run(run())


def test_house_processes_end_with_the_runner() -> None:
    async def run() -> None:
        async with ground() as there:
            await play(there.runner, "once", "random", "random")
            assert there.runner.pid is not None
            processes = bots_of(there.runner.pid)
            assert processes
            os.kill(there.runner.pid, signal.SIGKILL)
            async with asyncio.timeout(PATIENCE):
                # A seat that is requested before the crash is detected would be lost with it.
                while any(map(is_alive, processes)) or not there.runner.restarts:
                    await asyncio.sleep(0.02)
            await play(there.runner, "more", "random", "random")

    asyncio.run(run())
