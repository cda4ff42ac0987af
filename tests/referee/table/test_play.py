"""Whole matches over real connections."""

import asyncio
import json

import pytest
import uvloop

import tables
from damrak.local import GamePlan, play_game
from damrak.specs import parse_spec
from damrak_engine.boards import load_board
from damrak_engine.events import event_to_json
from damrak_engine.options import parse_options
from damrak_engine.verify import verify
from damrak_wire import table as wire
from tables import driven, everyone_plays, hall, run


@pytest.mark.parametrize("loop", [None, uvloop.new_event_loop])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_match_ends_with_a_result_sent_to_all(seats: int, loop) -> None:
    async def main() -> None:
        async with hall(seats) as room:
            clients = [await room.sit(seat) for seat in range(seats)]
            endings = await everyone_plays(clients)
            outcome = await room.outcome()
            assert outcome.replay is not None
            assert outcome.voided is None
            assert [ending.outcome for ending in endings] == [outcome.replay.result] * seats
            assert [seat.name for seat in outcome.seats] == [f"bot in {i}" for i in range(seats)]
            assert all(seat.fault is None and seat.rejections == () for seat in outcome.seats)
            assert all(seat.ready_us > 0 for seat in outcome.seats)
            await room.table.part(tables.PATIENCE)
            assert [await client.status() for client in clients] == ["OK: "] * seats

    run(main(), loop)


def test_every_seat_receives_every_event_once_in_order() -> None:
    async def main() -> None:
        async with hall(3) as room:
            clients = [await room.sit(seat, prompt=seat == 1) for seat in range(3)]
            await everyone_plays(clients)
            outcome = await room.outcome()
            assert outcome.replay is not None
            for seat, client in enumerate(clients):
                told = []
                for data in client.heard:
                    said = wire.parse_response(data, client.rules)
                    if isinstance(said, wire.Asked | wire.News | wire.Ended) and said.events:
                        assert said.first == len(told)
                        told += said.events
                assert tuple(told) == room.table._match.history(seat)
                assert len(told) == len(outcome.replay.events)

    run(main())


def test_a_seat_may_request_news_at_once() -> None:
    async def main() -> None:
        async with hall(2) as room:
            clients = [await room.sit(seat, prompt=True) for seat in range(2)]
            for client in clients:
                await client.answer(await client.expect(wire.Asked))
            news = {type(await client.hear()) for client in clients}
            assert news == {wire.News, wire.Asked}

    run(main())


SPECS = ("greedy", "random", "greedy", "random")


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("choice", ["unseen", "seen"])
def test_the_log_is_that_of_a_local_game(seats: int, choice: str) -> None:
    options = parse_options({"first_player": "rotate"} if choice == "seen" else {})
    first = 1 if choice == "seen" else None
    rules = tables.rules(seats, options, "amsterdam")

    async def main() -> list[str]:
        async with hall(seats, rules=rules, first=first) as room:

            async def seat_plays(seat: int) -> None:
                client = await room.connect(seat)
                choose = driven(SPECS[seat], await client.join())
                await client.say(wire.ready(SPECS[seat]))
                await client.play(choose)

            await asyncio.gather(*[seat_plays(seat) for seat in range(seats)])
            outcome = await room.outcome()
            assert outcome.replay is not None
            return log_of(outcome.replay)

    bots = tuple(parse_spec(SPECS[seat]) for seat in range(seats))
    plan = GamePlan(load_board("amsterdam"), bots, tables.SEED, options, tables.PATIENT, first)
    assert run(main()) == log_of(play_game(plan).replay)


def log_of(replay) -> list[str]:
    events = [event_to_json(event) for event in replay.events]
    return [json.dumps({k: v for k, v in event.items() if k != "ms"}) for event in events]


def test_the_replay_is_valid_and_names_its_origin() -> None:
    async def main() -> bytes:
        async with hall(2) as room:
            clients = [await room.sit(seat) for seat in range(2)]
            await everyone_plays(clients)
            outcome = await room.outcome()
            assert outcome.replay is not None
            assert outcome.replay.played.referee == "referee-1"
            assert outcome.replay_file is not None
            return outcome.replay_file

    data = json.loads(run(main()))
    assert data["signature"] is None
    data["signature"] = "0f" * 64
    header = verify(json.dumps(data).encode(), signed=lambda hash_, signature: True)
    assert (header.match, header.block, header.ladder) == ("m1", "b1", "main")
    assert [player.bot for player in header.seats] == ["bot0", "bot1"]
    assert header.seed == tables.SEED


def test_time_is_accounted_for_decision_by_decision() -> None:
    heard: list[tuple[float, float, float]] = []

    async def main() -> None:
        async with hall(2, on_decision=lambda *times: heard.append(times)) as room:
            clients = [await room.sit(seat) for seat in range(2)]

            async def think(client: tables.Client) -> int:
                count = 0
                while isinstance(asked := await client.hear(), wire.Asked):
                    count += 1
                    # A claimed thinking time that is longer than the elapsed time is ignored.
                    await client.answer(asked, think_us=10**12 if count % 2 else 1)
                return count

            counts = await asyncio.gather(*[think(client) for client in clients])
            timings = (await room.outcome()).timings
            assert len(timings.seats) == sum(counts) == len(heard)
            assert [timings.seats.count(seat) for seat in range(2)] == counts
            assert all(total > 0 for total in timings.total_us)
            assert all(own > 0 for own in timings.queue_us)
            columns = zip(timings.total_us, timings.think_us, strict=True)
            assert all(0 < think <= total for total, think in columns)
            assert any(a == b for a, b in zip(timings.total_us, timings.think_us, strict=True))
            assert [round(total * 1e6) for total, _, _ in heard] == list(timings.total_us)

    run(main())


def test_a_note_is_in_the_replay_and_sent_only_to_its_seat() -> None:
    async def main() -> None:
        async with hall(2) as room:
            one, other = [await room.sit(seat) for seat in range(2)]
            await one.answer(await one.expect(wire.Asked), note="mine")
            await other.answer(await other.expect(wire.Asked))
            endings = await everyone_plays([one, other])
            assert endings
            assert any(b"mine" in data for data in one.heard)
            assert not any(b"mine" in data for data in other.heard)
            replay = (await room.outcome()).replay_file
            assert replay is not None
            assert b'"note":"mine"' in replay

    run(main())
