"""Connections that are lost, return, are duplicated, or misbehave."""

import asyncio
from dataclasses import replace

import pytest

import tables
from damrak_engine.clock import TimeControl
from damrak_engine.effects import Voided
from damrak_engine.events import Fault
from damrak_proto.v1 import table_pb2
from damrak_wire import table as wire
from tables import LIMITS, hall, run

REMOTE = frozenset({0, 1})


def test_reconnected_bot_receives_everything_and_the_same_question() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, other = [await room.sit(seat) for seat in range(2)]
            playing = asyncio.create_task(other.play())
            told = []
            for _ in range(4):
                asked = await one.expect(wire.Asked)
                told += asked.events
                await one.answer(asked)
            asked = await one.expect(wire.Asked)
            told += asked.events
            await room.leave(0, one)
            again = await room.connect(0)
            welcome = await again.join()
            assert welcome.history == tuple(told)
            assert welcome.observation == asked.observation
            same = await again.expect(wire.Asked)
            assert (same.decision, same.legal) == (asked.decision, asked.legal)
            assert same.observation == asked.observation
            assert same.events == ()
            await again.answer(same)
            await again.say(wire.ready("me again"))  # harmless
            await again.play()
            await playing
            outcome = await room.outcome()
            assert outcome.replay is not None
            assert [seat.fault for seat in outcome.seats] == [None, None]
            assert outcome.seats[0].name == "bot in 0"

    run(main())


@pytest.mark.parametrize(("remote", "owner"), [(REMOTE, "network"), (frozenset(), "bot")])
def test_a_lost_connection_has_its_grace_and_no_more(remote: frozenset[int], owner: str) -> None:
    control = TimeControl(decision_ms=None, bank_ms=tables.FOREVER, grace_ms=200)

    async def main() -> None:
        async with hall(2, control=control, remote=remote) as room:
            one, other = [await room.sit(seat) for seat in range(2)]
            await one.expect(wire.Asked)
            await one.leave()
            await other.play()
            outcome = await room.outcome()
            fault = outcome.seats[0].fault
            assert fault is not None
            assert (fault.reason, fault.owner) == ("disconnect", owner)
            assert outcome.replay is not None
            late = await room.connect(0)
            assert one.welcome is not None
            welcome = await late.join(one.welcome.rejoin_ticket)
            assert welcome.history
            ended = await late.expect(wire.Ended)
            assert isinstance(ended.outcome, Fault)
            assert ended.outcome.reason == "disconnect"

    run(main())


def test_result_is_delivered_to_seats_that_return_late() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, other = [await room.sit(seat) for seat in range(2)]
            await one.say(wire.failed("crash", "gone"))
            # Otherwise leaving could overtake the message.
            while room.table.chairs[0].fault is None:
                await asyncio.sleep(0.001)
            await one.leave()
            ended = await other.play()
            again = await room.connect(1)
            welcome = await again.join()
            assert welcome.history == room.table._match.history(1)
            assert (await again.expect(wire.Ended)).outcome == ended.outcome
            assert await again.hear() is None

    run(main())


def test_a_client_that_hangs_up_halfway_has_left() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, other = [await room.sit(seat) for seat in range(2)]
            await one.expect(wire.Asked)
            await one.call.done_writing()
            assert await one.hear() is None
            assert await one.status() == "OK: "
            again = await room.sit(0)
            await asyncio.gather(again.play(), other.play())
            assert (await room.outcome()).replay is not None

    run(main())


def test_a_second_connection_to_a_seat_of_its_own_is_refused() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, other = [await room.sit(seat) for seat in range(2)]
            second = await room.connect(0)
            await second.say(wire.join("second"))
            assert await refusal(second) == "ALREADY_EXISTS"
            await asyncio.gather(one.play(), other.play())
            outcome = await room.outcome()
            assert [seat.fault for seat in outcome.seats] == [None, None]

    run(main())


async def refusal(client: tables.Client) -> str:
    try:
        while await client.hear() is not None:
            pass
    except Exception:  # noqa: BLE001  # the status tells
        pass
    return (await client.status()).partition(":")[0]


def test_the_newest_connection_with_a_good_ticket_wins() -> None:
    async def main() -> None:
        async with hall(2, remote=REMOTE) as room:
            one, other = [await room.sit(seat) for seat in range(2)]
            asked = await one.expect(wire.Asked)
            assert one.welcome is not None
            newer = await room.connect(0)
            await newer.join(one.welcome.rejoin_ticket)
            assert (await newer.expect(wire.Asked)).decision == asked.decision
            assert await refusal(one) == "ABORTED"
            await newer.answer(asked)
            await asyncio.gather(newer.play(), other.play())
            outcome = await room.outcome()
            assert [seat.fault for seat in outcome.seats] == [None, None]

    run(main())


def test_a_ticket_is_valid_until_its_welcome_was_received() -> None:
    async def main() -> None:
        async with hall(2, remote=REMOTE) as room:
            ticket = room.first_tickets[0]
            lost = await room.connect(0)
            await lost.join(ticket)
            await lost.leave()  # the referee must assume that the client never received the Welcome
            one = await room.connect(0)
            rejoin = (await one.join(ticket)).rejoin_ticket
            await one.say(wire.ready("heard it"))
            other = await room.sit(1)
            await one.expect(wire.Asked)
            for used in (ticket, "", "nonsense"):
                thief = await room.connect(0)
                await thief.say(wire.join("thief", used))
                assert await refusal(thief) == "UNAUTHENTICATED"
            await room.leave(0, one)
            again = await room.connect(0)
            await again.join(rejoin)
            await asyncio.gather(again.play(), other.play())
            room.tickets.revoke(room.table.chairs[0])
            room.tickets.revoke(room.table.chairs[1])
            assert len(room.tickets) == 0

    run(main())


def test_a_connection_that_never_joins_is_closed() -> None:
    limits = replace(LIMITS, join_s=0.1)

    async def main() -> None:
        async with hall(2, limits=limits) as room:
            silent = await room.connect(0)
            assert await refusal(silent) == "DEADLINE_EXCEEDED"
            assert room.table.chairs[0].fault is None
        async with hall(2) as room:
            hasty = await room.connect(0)
            await hasty.say(wire.ready("me"))
            assert await refusal(hasty) == "FAILED_PRECONDITION"
            garbled = await room.connect(0)
            await garbled.say(b"\xff\xff")
            assert await refusal(garbled) == "INVALID_ARGUMENT"
            hello = table_pb2.Hello(lowest_version=7, highest_version=9, software="x")
            modern = await room.connect(0)
            join = table_pb2.PlayRequest(join=table_pb2.Join(hello=hello))
            await modern.say(join.SerializeToString())
            assert await refusal(modern) == "FAILED_PRECONDITION"
            assert "7 to 9" in await modern.status()
            one, other = [await room.sit(seat) for seat in range(2)]
            await asyncio.gather(one.play(), other.play())
            assert (await room.outcome()).replay is not None

    run(main())


def test_repeated_reconnecting_is_a_fault() -> None:
    async def main() -> None:
        async with hall(2) as room:
            other = await room.sit(1)
            await room.sit(0)
            asked = await other.expect(wire.Asked)
            for _ in range(200):
                client = await room.connect(0)
                await client.say(wire.join("again"))
                if room.table.chairs[0].fault is not None:
                    break
                await client.hear_bytes_or_nothing()
                await client.hang_up()
            fault = room.table.chairs[0].fault
            assert fault is not None
            assert fault.reason == "protocol"
            await other.answer(asked)
            await other.play()
            assert (await room.outcome()).replay is not None

    run(main())


def test_a_seat_that_never_reads_does_not_block_others() -> None:
    control = TimeControl(decision_ms=tables.FOREVER, bank_ms=2 * tables.FOREVER)
    limits = replace(LIMITS, farewell_s=0.2)

    async def main() -> None:
        async with hall(3, control=control, limits=limits) as room:
            deaf = await room.connect(0)
            await deaf.say(wire.join("deaf", prompt_events=True))
            await deaf.say(wire.ready("deaf"))
            others = [await room.sit(seat) for seat in (1, 2)]
            playing = asyncio.gather(*[client.play() for client in others])
            await room.run_out(0)
            await playing
            outcome = await room.outcome()
            assert outcome.replay is not None
            fault = outcome.seats[0].fault
            assert fault is not None
            assert fault.reason == "timeout"
            await room.table.part(tables.PATIENCE)
            assert all(chair.link is None for chair in room.table.chairs)

    run(main())


def test_a_failed_seat_is_notified_even_if_it_sent_only_a_failure() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, other = [await room.sit(seat) for seat in range(2)]
            await one.expect(wire.Asked)
            await one.say(wire.failed("crash", "no"))
            await one.call.done_writing()
            assert isinstance((await one.expect(wire.Ended)).outcome, Fault)
            assert await one.hear() is None
            await other.play()

    run(main())


def test_a_connection_that_reads_nothing_is_dropped_without_a_backlog() -> None:
    limits = replace(LIMITS, outbox=10, farewell_s=0.2)

    async def main() -> None:
        async with hall(2, limits=limits) as room:
            await room.sit(0)
            other = await room.sit(1)
            asked = await other.expect(wire.Asked)
            chair = room.table.chairs[0]
            link = chair.link
            assert link is not None
            for _ in range(100):
                link.send(bytes(50_000))
            assert not link.is_open
            while chair.link is not None:
                await asyncio.sleep(0.01)
            again = await room.sit(0)
            await other.answer(asked)
            await asyncio.gather(again.play(), other.play())
            assert (await room.outcome()).replay is not None

    run(main())


def test_an_unread_ending_has_a_time_limit() -> None:
    limits = replace(LIMITS, farewell_s=0.2)

    async def main() -> None:
        async with hall(2, limits=limits) as room:
            await room.sit(0)
            other = await room.sit(1)
            await other.expect(wire.Asked)
            link = room.table.chairs[0].link
            assert link is not None
            for _ in range(20):
                link.send(bytes(50_000))
            room.table.void("host", "enough")
            assert (await room.outcome()).voided is not None
            await room.table.part(tables.PATIENCE)
            assert room.table.chairs[0].link is None
            assert isinstance((await other.expect(wire.Ended)).outcome, Voided)

    run(main())


def test_closing_a_table_hangs_up_on_all() -> None:
    async def main() -> None:
        async with hall(2) as room:
            clients = [await room.sit(seat) for seat in range(2)]
            for client in clients:
                await client.expect(wire.Asked)
            room.table.close()
            await room.table.part(tables.PATIENCE)
            assert (await room.outcome()).voided is not None
            for client in clients:
                assert await refusal(client) in ("UNAVAILABLE", "OK")

    run(main())
