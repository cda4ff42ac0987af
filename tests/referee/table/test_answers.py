"""Late, repeated, misdirected, illegal and malformed answers."""

import asyncio
from contextlib import suppress
from dataclasses import replace

import grpc
import pytest

import tables
from damrak_engine.clock import TimeControl
from damrak_engine.events import Fault
from damrak_proto.v1 import table_pb2
from damrak_wire import table as wire
from tables import LIMITS, Client, hall, run


async def asked_both(room: tables.Hall) -> tuple[Client, wire.Asked, Client, wire.Asked]:
    one, other = [await room.sit(seat) for seat in range(2)]
    return one, await one.expect(wire.Asked), other, await other.expect(wire.Asked)


async def end_normally(room: tables.Hall, *clients: Client) -> tables.Outcome:
    """Play on, and check that earlier events have had no effect."""
    await asyncio.gather(*[client.play() for client in clients])
    outcome = await room.outcome()
    assert outcome.replay is not None
    assert all(seat.fault is None for seat in outcome.seats)
    return outcome


def test_an_answer_given_twice_counts_once() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, asked, other, also = await asked_both(room)
            await one.answer(asked)
            await one.answer(asked, asked.legal[-1])
            said = await one.expect(wire.StaleAnswer)
            assert (said.decision, said.why) == (asked.decision, "answered")
            await other.answer(also)
            await end_normally(room, one, other)

    run(main())


def test_answers_to_questions_of_others_are_harmless() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, asked, other, also = await asked_both(room)
            for decision, why in [(also.decision, "foreign"), (99, "unknown"), (0, "unknown")]:
                await one.say(wire.decided(decision, asked.legal[0]))
                said = await one.expect(wire.StaleAnswer)
                assert (said.decision, said.why) == (decision, why)
                await one.say(wire.nonsense(decision, "what?"))
                assert (await one.expect(wire.StaleAnswer)).why == why
            await one.answer(asked)
            await other.answer(also)
            await end_normally(room, one, other)

    run(main())


def test_answers_before_the_match_begins_are_harmless() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one = await room.sit(0)
            await one.say(wire.decided(1, 0))
            assert (await one.expect(wire.StaleAnswer)).why == "unknown"
            other = await room.sit(1)
            await end_normally(room, one, other)

    run(main())


def test_an_illegal_answer_is_a_strike_and_the_question_stays() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, asked, other, also = await asked_both(room)
            await one.answer(asked, 10_000)
            said = await one.expect(wire.Refused)
            assert (said.decision, said.strikes_left) == (asked.decision, 2)
            await one.say(wire.nonsense(asked.decision, "a banana"))
            said = await one.expect(wire.Refused)
            assert (said.reason, said.strikes_left) == ("a banana", 1)
            await one.answer(asked)
            await other.answer(also)
            outcome = await end_normally(room, one, other)
            assert len(outcome.seats[0].rejections) == 2
            assert outcome.seats[0].rejections[1] == f"decision {asked.decision}: a banana"

    run(main())


def test_seat_without_strikes_leaves_with_a_reason() -> None:
    async def main() -> None:
        async with hall(3) as room:
            clients = [await room.sit(seat) for seat in range(3)]
            asked = await clients[0].expect(wire.Asked)
            for _ in range(2):
                await clients[0].answer(asked, 10_000)
                await clients[0].expect(wire.Refused)
            await clients[0].answer(asked, 10_000)
            ended = await clients[0].expect(wire.Ended)
            assert isinstance(ended.outcome, Fault)
            assert (ended.outcome.seat, ended.outcome.reason) == (0, "illegal")
            assert await clients[0].hear() is None
            await asyncio.gather(*[client.play() for client in clients[1:]])
            outcome = await room.outcome()
            fault = outcome.seats[0].fault
            assert fault is not None
            assert (fault.reason, fault.owner) == ("illegal", "bot")
            # Strikes are not decisions.
            assert 0 not in outcome.timings.seats

    run(main())


@pytest.mark.parametrize("reason", ["crash", "memory", "protocol"])
def test_a_bot_may_say_that_it_failed(reason: str) -> None:
    async def main() -> None:
        async with hall(3) as room:
            clients = [await room.sit(seat) for seat in range(3)]
            await clients[1].expect(wire.Asked)
            await clients[1].say(wire.failed(reason, "ValueError: no", "Traceback ...\nno"))
            ended = await clients[1].expect(wire.Ended)
            assert isinstance(ended.outcome, Fault)
            assert ended.outcome.detail == "ValueError: no"
            await asyncio.gather(clients[0].play(), clients[2].play())
            fault = (await room.outcome()).seats[1].fault
            assert fault is not None
            assert (fault.reason, fault.owner) == (reason, "bot")
            assert fault.traceback == "Traceback ...\nno"

    run(main())


def test_unparsable_messages_are_rejected_and_finally_a_fault() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, asked, other, also = await asked_both(room)
            for bad in [b"\xff", b"", wire.join("again"), b"\x7f" * 100] * 3 + [b"\x08"] * 3:
                await one.say(bad)
                assert (await one.expect(wire.Complained)).what
            await one.say(b"")
            ended = await one.expect(wire.Ended)
            assert isinstance(ended.outcome, Fault)
            assert ended.outcome.reason == "protocol"
            assert asked
            await other.answer(also)
            await other.play()
            fault = (await room.outcome()).seats[0].fault
            assert fault is not None
            assert fault.owner == "bot"

    run(main())


def large(asked: wire.Asked, size: int) -> bytes:
    """Return an answer with a note of this size."""
    said = table_pb2.Decision(decision=asked.decision, action=asked.legal[0], note="x" * size)
    return table_pb2.PlayRequest(decision=said).SerializeToString()


@pytest.mark.parametrize("size", [64 * 1024 + 1, 4_000_000])
def test_a_message_that_is_too_large_is_a_fault(size: int) -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, asked, other, also = await asked_both(room)
            await one.say(large(asked, size))
            ended = await one.expect(wire.Ended)
            assert isinstance(ended.outcome, Fault)
            assert ended.outcome.reason == "protocol"
            await other.answer(also)
            await other.play()
            assert (await room.outcome()).replay is not None

    run(main())


def test_a_message_that_grpc_refuses_costs_the_connection_alone() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, asked, other, also = await asked_both(room)
            await one.say(large(asked, 5_000_000))
            assert await one_ended(one) == "RESOURCE_EXHAUSTED"
            again = await room.sit(0)
            await other.answer(also)
            await end_normally(room, again, other)

    run(main())


async def one_ended(client: Client) -> str:
    try:
        while await client.hear() is not None:
            pass
    except Exception:  # noqa: BLE001  # the status tells
        pass
    return (await client.status()).partition(":")[0]


def test_a_flood_is_a_fault_but_fast_answers_are_none() -> None:
    limits = replace(LIMITS, messages_per_s=0, burst=20)  # however long it takes

    async def main() -> None:
        async with hall(2, limits=limits) as room:
            clients = [await room.sit(seat) for seat in range(2)]
            await end_normally(room, *clients)  # more answers than allowed messages
        async with hall(2, limits=limits) as room:
            one, _, other, also = await asked_both(room)
            with suppress(grpc.aio.AioRpcError):  # it may be over before they have all arrived
                for _ in range(25):
                    await one.say(wire.decided(99, 0))
            await other.answer(also)
            await other.play()
            fault = (await room.outcome()).seats[0].fault
            assert fault is not None
            assert fault.reason == "protocol"

    run(main())


def test_an_answer_after_the_time_is_up_is_late() -> None:
    control = TimeControl(decision_ms=tables.FOREVER, bank_ms=2 * tables.FOREVER)

    async def main() -> None:
        async with hall(2, control=control) as room:
            one, asked, other, also = await asked_both(room)
            await other.answer(also)
            await room.run_out(0)
            ended = await one.expect(wire.Ended)
            assert isinstance(ended.outcome, Fault)
            assert ended.outcome.reason == "timeout"
            assert asked
            assert await one.hear() is None  # nothing that it sends is processed any more
            assert (await other.play()).outcome
            assert (await room.outcome()).replay is not None

    run(main())
