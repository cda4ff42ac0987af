"""Deadlines, failing starts, pauses, and cancelled matches."""

import asyncio
import statistics
import time

import pytest

import tables
from damrak_engine.clock import TimeControl
from damrak_engine.dice import CallDice
from damrak_engine.effects import Voided
from damrak_engine.events import Fault
from damrak_referee.table.timekeeper import Alarm, Timekeeper
from damrak_referee.table.turnstile import Turnstile
from damrak_wire import table as wire
from tables import hall, run

REMOTE = frozenset({0, 1})


def test_time_runs_out_for_silent_bots() -> None:
    control = TimeControl(decision_ms=None, bank_ms=tables.FOREVER, increment_ms=0)

    async def main() -> None:
        async with hall(3, control=control) as room:
            clients = [await room.sit(seat) for seat in range(3)]
            await clients[0].expect(wire.Asked)
            playing = asyncio.gather(clients[1].play(), clients[2].play())
            await room.run_out(0)
            await clients[0].expect(wire.Ended)
            await playing
            outcome = await room.outcome()
            assert outcome.replay is not None
            fault = outcome.seats[0].fault
            assert fault is not None
            assert (fault.reason, fault.owner) == ("timeout", "bot")
            assert fault.detail == "the bank was used up"

    run(main())


def test_all_may_fail_before_the_start() -> None:
    async def main() -> None:
        async with hall(3) as room:
            for seat in range(3):
                room.table.fail(seat, "crash", f"bot {seat} is no bot", "bot", "trace")
            outcome = await room.outcome()
            assert outcome.replay is not None
            faults = [seat.fault for seat in outcome.seats]
            assert [fault and fault.reason for fault in faults] == ["crash"] * 3
            assert [fault and fault.traceback for fault in faults] == ["trace"] * 3
            assert all(seat.ready_us == 0 for seat in outcome.seats)

    run(main())


@pytest.mark.parametrize("remote", [frozenset(), REMOTE])
def test_late_readiness_is_a_fault(remote: frozenset[int]) -> None:
    async def main() -> None:
        async with hall(3, start=False, remote=remote) as room:
            slow = await room.connect(0)
            await slow.join(room.first_tickets[0])
            ready = await room.sit(2)
            while not room.table.chairs[2].is_ready:
                await asyncio.sleep(0)
            room.start(limit_ms=300)
            ended = await slow.expect(wire.Ended)
            assert isinstance(ended.outcome, Fault)
            assert ended.outcome.detail == "was not ready in time"
            await ready.play()
            faults = [seat.fault for seat in (await room.outcome()).seats]
            assert faults[0] is not None
            assert faults[1] is not None
            assert (faults[0].reason, faults[0].owner) == ("timeout", "bot")
            owner = "network" if remote else "bot"
            assert (faults[1].reason, faults[1].owner) == ("timeout", owner)
            assert faults[1].detail == "never connected"
            assert faults[2] is None

    run(main())


def test_ready_seat_that_is_away_at_the_start_has_its_grace() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one = await room.sit(0)
            while not room.table.chairs[0].is_ready:
                await asyncio.sleep(0)
            await room.leave(0, one)
            other = await room.sit(1)
            asked = await other.expect(wire.Asked)
            assert room.table.begun.is_set()
            again = await room.connect(0)
            await again.join()
            await other.answer(asked)
            await asyncio.gather(again.play(), other.play())
            outcome = await room.outcome()
            assert [seat.fault for seat in outcome.seats] == [None, None]

    run(main())


def test_a_process_that_ends_is_at_fault_and_its_connection_alone_is_not() -> None:
    async def main() -> None:
        async with hall(3) as room:
            clients = [await room.sit(seat) for seat in range(3)]
            await clients[0].expect(wire.Asked)
            await clients[0].leave()
            room.table.fail(0, "memory", "used more than 512 MiB", "bot")
            room.table.fail(0, "crash", "said again", "bot", "too late")
            await asyncio.gather(clients[1].play(), clients[2].play())
            fault = (await room.outcome()).seats[0].fault
            assert fault is not None
            assert (fault.reason, fault.detail) == ("memory", "used more than 512 MiB")
            assert fault.traceback == ""

    run(main())


# ---- void matches --------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["before anybody", "before the start", "set-up", "later"])
@pytest.mark.parametrize("jitter_ms", [0, 20])
def test_a_match_can_be_called_off_at_any_moment(when: str, jitter_ms: int) -> None:
    async def main() -> None:
        async with hall(2, jitter_ms=jitter_ms) as room:
            clients = []
            if when != "before anybody":
                clients.append(await room.sit(0))
            if when in ("set-up", "later"):
                clients.append(await room.sit(1))
                asked = [await client.expect(wire.Asked) for client in clients]
                if when == "later":
                    for client, one in zip(clients, asked, strict=True):
                        await client.answer(one)
                    while len(room.table._match.log) < 3:
                        await asyncio.sleep(0)
            room.table.void("host", "the runner died")
            room.table.void("bot", "no, it was the bot")
            outcome = await room.outcome()
            assert outcome.replay is None
            assert outcome.replay_file is None
            assert outcome.voided == Voided("host", "the runner died")
            for client in clients:
                while not isinstance(said := await client.hear(), wire.Ended):
                    assert said is not None
                assert said.outcome == outcome.voided

    run(main())


def test_a_fault_of_the_host_makes_the_match_void() -> None:
    async def main() -> None:
        async with hall(2, jitter_ms=50) as room:
            clients = [await room.sit(seat) for seat in range(2)]
            for client in clients:
                await client.answer(await client.expect(wire.Asked))
            room.table.fail(1, "crash", "the sandbox was lost", "host")
            outcome = await room.outcome()
            assert outcome.voided == Voided("host", "the sandbox was lost")
            fault = outcome.seats[1].fault
            assert fault is not None
            assert fault.owner == "host"

    run(main())


def test_calling_off_play_notifies_all() -> None:
    async def main() -> None:
        async with hall(2) as room:
            clients = [await room.sit(seat) for seat in range(2)]
            for client in clients:
                await client.expect(wire.Asked)
            room.play.cancel()
            with pytest.raises(asyncio.CancelledError):
                await room.outcome()
            for client in clients:
                assert isinstance((await client.expect(wire.Ended)).outcome, Voided)
                assert await client.hear() is None

    run(main())


def test_a_mistake_of_the_referee_makes_the_match_void() -> None:
    def broken_dice(stream: int, n: int) -> int:
        if stream == 1:  # the row; after the deal
            calls.append(n)
            if len(calls) > 8:
                raise RuntimeError("the dice fell off the table")
        return 0

    calls: list[int] = []

    async def main() -> None:
        async with hall(2, dice=CallDice(broken_dice)) as room:
            clients = [await room.sit(seat) for seat in range(2)]
            endings = await asyncio.gather(*[client.play(taking) for client in clients])
            assert all(isinstance(ending.outcome, Voided) for ending in endings)
            voided = (await room.outcome()).voided
            assert voided is not None
            assert voided.owner == "host"

    run(main())


def taking(asked: wire.Asked) -> int:
    """Take a card from the row if possible."""
    return next((action for action in asked.legal if 1 <= action <= 5), asked.legal[0])


# ---- pauses ------------------------------------------------------------------------------------


def test_pauses_are_not_charged_and_hide_thinking_times() -> None:
    control = TimeControl(decision_ms=None, bank_ms=tables.FOREVER, increment_ms=0, grace_ms=0)

    async def main() -> tuple[list[int], int]:
        async with hall(2, control=control, jitter_ms=60) as room:
            clients = [await room.sit(seat) for seat in range(2)]
            waits: list[int] = []

            async def play(client: tables.Client) -> int:
                banks = [tables.FOREVER * 1000]
                while isinstance(asked := await client.hear(), wire.Asked):
                    assert asked.time_left.bank_us <= banks[-1]  # never more than before
                    banks.append(asked.time_left.bank_us)
                    waits.append(time.monotonic_ns() - sent[0] if sent else 0)
                    sent[:] = [time.monotonic_ns()]
                    await client.answer(asked, taking(asked))
                return banks[2] - banks[-1]  # nor are earlier waits included

            sent: list[int] = []
            charged_us = await asyncio.gather(*[play(client) for client in clients])
            outcome = await room.outcome()
            assert outcome.replay is not None
            assert [seat.fault for seat in outcome.seats] == [None, None]
            return waits[2:], sum(charged_us)

    waits, charged_us = run(main())
    # A pause takes 30 ms on average. At least this much of each wait is not charged to any clock.
    assert sum(waits) / 1000 - charged_us > len(waits) * 15_000
    # All bots answer at once, but waits still vary.
    assert statistics.pstdev(waits) / 1e6 > 3


def test_messages_during_a_pause_wait() -> None:
    async def main() -> None:
        async with hall(3, jitter_ms=30) as room:
            clients = [await room.sit(seat, prompt=True) for seat in range(3)]
            asked = [await client.expect(wire.Asked) for client in clients]
            for client, one in zip(clients, asked, strict=True):
                await client.answer(one)
                await client.answer(one)
            await room.leave(2, clients[2])
            again = await room.sit(2)
            for client in clients[:2]:
                # The pause may have no length at all: then the next question comes first.
                owed = None
                while not isinstance(said := await client.hear(), wire.StaleAnswer):
                    owed = said if isinstance(said, wire.Asked) else owed
                assert said.why == "answered"
                if owed is not None:
                    await client.answer(owed)
            await asyncio.gather(*[client.play() for client in [*clients[:2], again]])
            outcome = await room.outcome()
            assert [seat.fault for seat in outcome.seats] == [None] * 3

    run(main())


def test_the_clock_of_a_match_stops_in_pauses() -> None:
    real = [5_000_000]
    clock = Timekeeper(lambda: real[0])
    assert clock.now() == 5000
    clock.pause()
    real[0] += 7_000_000
    assert clock.now() == 5000
    clock.resume()
    assert clock.now() == 5000
    real[0] += 1000
    assert clock.now() == 5001
    assert clock.at(real[0] + 2000) == 5003


def test_an_alarm_is_reset_only_for_an_earlier_time() -> None:
    async def main() -> None:
        rung = asyncio.Event()
        clock = Timekeeper()
        alarm = Alarm(asyncio.get_running_loop(), clock, rung.set)
        alarm.set(clock.now() + 10**9)
        alarm.set(clock.now() + 2 * 10**9)
        alarm.set(clock.now() + 1000)
        await rung.wait()
        alarm.set(clock.now() + 10**9)
        alarm.cancel()

    run(main())


def test_a_turnstile_continues_after_an_error() -> None:
    async def main() -> None:
        broke: list[Exception] = []
        done: list[str] = []
        turnstile = Turnstile(asyncio.get_running_loop(), Timekeeper(), 1000, broke.append)
        turnstile.take(turnstile.after_pause, done.append, "late")
        turnstile.take(done.append, "waits")
        turnstile.take(lambda: 1 / 0)
        turnstile.take(done.append, "last")
        assert done == []
        turnstile.flush()
        assert done == ["late", "waits", "last"]
        assert [type(problem) for problem in broke] == [ZeroDivisionError]

    run(main())
