"""No hidden information is sent to a seat: the bytes of whole games are searched."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

import tables
from damrak_engine.actions import OFFER
from damrak_engine.dice import BLIND, CONTRACT, HAND, ROW, CallDice
from damrak_engine.events import seen_by
from damrak_engine.observation import observe
from damrak_engine.replay import Replay
from damrak_engine.verify import fold
from damrak_proto.v1 import game_pb2, table_pb2, watch_pb2
from damrak_referee.server.watch_service import Feeds
from damrak_wire import table as wire
from damrak_wire.events import encode_event
from damrak_wire.state import encode_state
from damrak_wire.watch import happened
from tables import Client, driven, hall, run

RULES = "amsterdam"
SPECS = ("greedy", "random", "random", "greedy")


async def captured(seats: int, spec_of: Callable[[int], str]) -> tuple[Replay, list[Client]]:
    """Play a whole game and return its replay and all messages."""
    rules = tables.rules(seats, board=RULES)
    async with hall(seats, rules=rules) as room:
        clients = [await room.connect(seat) for seat in range(seats)]

        async def play(seat: int) -> None:
            client = clients[seat]
            choose = driven(spec_of(seat), await client.join(prompt=seat % 2 == 1))
            await client.say(wire.ready(""))
            count = 0
            while not isinstance(said := await client.hear(), wire.Ended):
                if isinstance(said, wire.Asked):
                    count += 1
                    if count == 9 and seat == 0:  # reconnect, which sends everything again
                        await room.leave(0, client)
                        again = await room.connect(0)
                        again.heard = client.heard
                        client = again
                        await client.join()
                        said = await client.expect(wire.Asked)
                    await client.answer(said, choose(said), note=f"note {seat}")

        await asyncio.gather(*[play(seat) for seat in range(seats)])
        outcome = await room.outcome()
        assert outcome.replay is not None
        return outcome.replay, clients


def said_by(data: bytes) -> Message:
    response = table_pb2.PlayResponse.FromString(data)
    assert not list(unknown_fields(response))
    # The encoding hides nothing either: no byte is without meaning.
    assert len(response.SerializeToString()) <= len(data)
    member: Message = getattr(response, response.WhichOneof("message") or "")
    return member


def unknown_fields(message: Message) -> Iterator[Any]:
    yield from UnknownFieldSet(message)
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None or descriptor.message_type.GetOptions().map_entry:
            continue
        for member in value if isinstance(value, list) or descriptor.is_repeated else [value]:
            yield from unknown_fields(member)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_state_and_event_is_what_the_rules_let_its_seat_see(seats: int) -> None:
    replay, clients = run(captured(seats, lambda seat: SPECS[seat]))
    views = [
        [encode_event(seen_by(event, seat)).SerializeToString() for event in replay.events]
        for seat in range(seats)
    ]
    states: list[dict[int, list[bytes]]] = []  # by seat, by the number of events
    for seat in range(seats):
        seen: dict[int, list[bytes]] = {}
        for count, state in fold(replay):
            data = encode_state(observe(state, seat)).SerializeToString(deterministic=True)
            seen.setdefault(count, []).append(data)
        states.append(seen)
    deal_only = 1
    for seat, client in enumerate(clients):
        told = 0
        questions = 0
        for data in client.heard:
            said: Any = said_by(data)
            batch = said.history if isinstance(said, table_pb2.Welcome) else None
            if isinstance(said, table_pb2.Welcome):
                told = 0
            elif isinstance(said, game_pb2.EventBatch):
                batch = said
            elif said.HasField("events"):
                batch = said.events
            if batch is not None:
                for event in batch.events:
                    assert event.SerializeToString() == views[seat][told], (seat, told)
                    told += 1
            if isinstance(said, table_pb2.Question):
                questions += 1
                mine = said.state.SerializeToString(deterministic=True)
                assert mine in states[seat][max(told, deal_only)], (seat, told)
        assert questions > 10
        assert told == len(replay.events)


@pytest.mark.parametrize("seats", [2, 4])
def test_messages_hold_no_field_that_is_not_meant_for_seats(seats: int) -> None:
    replay, clients = run(captured(seats, lambda seat: SPECS[seat]))
    seed = replay.seed
    for seat, client in enumerate(clients):
        for data in client.heard:
            assert seed not in data
            assert seed.hex().encode() not in data
            for other in range(seats):
                assert (f"note {other}".encode() in data) <= (other == seat)
            for path in paths(table_pb2.PlayResponse.FromString(data)):
                assert path.split(".")[-1] not in ("replay", "seed", "pile", "undrawn"), path


def paths(message: Message, where: str = "") -> Iterator[str]:
    for descriptor, value in message.ListFields():
        path = f"{where}.{descriptor.name}"
        yield path
        if descriptor.message_type and not descriptor.message_type.GetOptions().map_entry:
            for member in value if descriptor.is_repeated else [value]:
                yield from paths(member, path)


# ---- two games that differ only in what a seat cannot see ----------------------------------------


class Twin:
    """Dice that give seat 1 other cards and contracts than in the twin game.

    Everything that seat 0 may see is equal.
    """

    def __init__(self, other: bool) -> None:
        self.other = other
        self.pile = list(tables.rules(2, board=RULES).deck)
        self.shown = 0

    def pick(self, stream: int, n: int) -> int:
        if stream == CONTRACT + 1:
            return n - 3 if self.other else n - 1
        if stream not in (ROW, HAND, HAND + 1, BLIND, BLIND + 1):
            return 0
        assert n == sum(self.pile), "this test is not for games with a reshuffle"
        if stream in (HAND + 1, BLIND + 1):
            wanted = [5, 4, 3] if self.other else [3, 4, 5]
        else:
            self.shown += 1
            wanted = [(self.shown + i) % 3 for i in range(3)]
        card = next(card for card in wanted if self.pile[card])
        index = sum(self.pile[:card])
        self.pile[card] -= 1
        return index


async def twin_game(other: bool, rounds: int) -> tuple[list[bytes], list[bytes], list[str]]:
    """Return the bytes sent to seat 0 and to a watcher, without times, and the hand of seat 1."""
    rules = tables.rules(2, board=RULES)
    async with hall(2, rules=rules, dice=CallDice(Twin(other).pick)) as room:
        feeds = Feeds()
        feeds.add(room.table.feed)
        watched: list[bytes] = []

        async def watch() -> None:
            async for data in feeds.follow("m1"):
                watched.append(data)

        watching = asyncio.create_task(watch())
        one, hidden = [await room.sit(seat, prompt=True) for seat in range(2)]
        playing = asyncio.create_task(plays_openly(hidden))
        choose = driven("greedy", one.welcome)  # type: ignore[arg-type]
        for _ in range(rounds):
            while not isinstance(said := await one.hear(), wire.Asked):
                assert said is not None
            await one.answer(said, choose(said))
        while not isinstance(await one.hear(), wire.Asked):
            pass
        # The seat owes an answer now, so that nothing happens until watchers have seen all.
        while happenings(watched) < len(room.table._match.log):
            await asyncio.sleep(0)
        state = room.table._match.state
        secret = [str(state.hands[1]), str(state.contracts[1])]
        playing.cancel()
        watching.cancel()
        room.table.void("host", "that is enough")
        return [timeless(data) for data in one.heard], [timeless_seen(d) for d in watched], secret


async def plays_openly(client: Client) -> None:
    """Play independently of hidden information: draw from the pile, and sometimes contracts."""
    count = 0
    while isinstance(said := await client.hear(), wire.Asked | wire.News):
        if isinstance(said, wire.Asked):
            count += 1
            action = OFFER if count % 7 == 0 and OFFER in said.legal else 0
            await client.answer(said, action if action in said.legal else said.legal[0])


def timeless(data: bytes) -> bytes:
    said = table_pb2.PlayResponse.FromString(data)
    if said.HasField("question"):
        said.question.ClearField("time_left")
    for batch in (said.question.events, said.news, said.ending.events, said.welcome.history):
        for event in batch.events:
            event.ClearField("ms")
    return said.SerializeToString(deterministic=True)


def timeless_seen(data: bytes) -> bytes:
    said = watch_pb2.WatchMatchResponse.FromString(data)
    said.clocks.ClearField("bank_ms")
    return said.SerializeToString(deterministic=True)


def happenings(messages: list[bytes]) -> int:
    """Return the number of events that watchers have seen."""
    said = map(watch_pb2.WatchMatchResponse.FromString, messages)
    return sum(len(message.events.events) for message in said)


def events_seen(messages: list[bytes]) -> bytes:
    """Return the events that watchers saw, however they were split into messages."""
    events = []
    for data in messages:
        said = watch_pb2.WatchMatchResponse.FromString(data)
        events += [event.SerializeToString() for event in said.events.events]
    return happened(0, events)


def test_two_games_that_differ_in_hidden_things_alone_are_the_same_to_a_seat() -> None:
    mine, seen, secret = run(twin_game(other=False, rounds=10))
    mine_too, seen_too, other_secret = run(twin_game(other=True, rounds=10))
    assert secret[0] != other_secret[0]  # other cards in hand
    assert secret[1] != other_secret[1]  # other contracts
    assert len(mine) > 10
    assert mine == mine_too
    assert events_seen(seen) == events_seen(seen_too)
