"""Calls go to the connection with most room, survive lost connections, and end with their match."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Coroutine
from typing import Any

from damrak_referee.lobby.lobby import TICK, Call, Lobby, Waiting
from damrak_referee.lobby.tokens import Tokens, hash_token
from damrak_wire.lobby import BotToken, Closing

STAN = BotToken("stan", hash_token("s"))


class Link:
    """A connection that records the messages to a bot."""

    def __init__(self) -> None:
        self.said: list[tuple[Any, ...]] = []

    def call(self, match: str, ticket: str, patience_ms: int) -> None:
        assert patience_ms > 0
        self.said.append(("call", match, ticket))

    def withdraw(self, match: str, reason: str) -> None:
        self.said.append(("withdraw", match))

    def close_soon(self, closing: Closing) -> None:
        self.said.append(("closing", closing))

    def dismiss(self, reason: str) -> None:
        self.said.append(("dismiss", reason))


class Scene:
    """A lobby with one known bot, and calls whose seats the tests take."""

    def __init__(self) -> None:
        self.tokens = Tokens(None, time.time)
        self.tokens.replace([STAN])
        self.lobby = Lobby(self.tokens)
        self.seated: set[str] = set()
        self.declined: list[str] = []
        self.barred: list[str] = []
        self._numbers = itertools.count(1)

    def arrive(self, capacity: int, *playing: str) -> tuple[Waiting, Link]:
        link = Link()
        waiting = self.lobby.arrive(STAN, link, "test/1", capacity)
        self.lobby.settle(waiting, playing)
        return waiting, link

    def call(self, match: str) -> Call:
        call = Call(
            "stan",
            match,
            new_ticket=lambda: f"t{next(self._numbers)}",
            is_seated=lambda: match in self.seated,
            has_come=lambda: match in self.seated,
            is_out=lambda: False,
            on_decline=self.declined.append,
            on_barred=lambda: self.barred.append(match),
            until=asyncio.get_running_loop().time() + 60,
            grace_ms=30_000,
        )
        self.lobby.call(call)
        return call


def _play(scene: Callable[[Scene], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        await scene(Scene())

    asyncio.run(main())


def test_goes_to_the_connection_with_most_room() -> None:
    async def scene(it: Scene) -> None:
        _, small = it.arrive(1)
        big_waiting, big = it.arrive(3)
        for match in ("a", "b", "c", "d"):
            it.call(match)
        assert [said[1] for said in big.said] == ["a", "b", "c"]
        assert [said[1] for said in small.said] == ["d"]
        assert big_waiting.free == 0

    _play(scene)


def test_waits_until_a_connection_has_room() -> None:
    async def scene(it: Scene) -> None:
        first = it.call("a")
        it.call("b")
        waiting, link = it.arrive(1)
        assert link.said == [("call", "a", "t1")]
        it.seated.add("a")
        it.lobby.end(first, "over")
        assert link.said[1:] == [("call", "b", "t2")]
        it.call("c")
        it.lobby.resize(waiting, 2)
        assert link.said[2:] == [("call", "c", "t3")]

    _play(scene)


def test_unanswered_call_comes_again_on_the_next_connection_with_a_new_ticket() -> None:
    async def scene(it: Scene) -> None:
        waiting, _ = it.arrive(1)
        it.call("a")
        it.lobby.leave(waiting)
        _, link = it.arrive(1)
        assert link.said == [("call", "a", "t2")]

    _play(scene)


def test_bot_that_plays_on_is_not_called_again() -> None:
    async def scene(it: Scene) -> None:
        waiting, _ = it.arrive(2)
        call = it.call("a")
        it.seated.add("a")
        it.lobby.leave(waiting)
        waiting, link = it.arrive(2, "a")
        assert link.said == []
        assert waiting.free == 1
        it.lobby.end(call, "over")
        assert waiting.free == 2

    _play(scene)


def test_other_machine_takes_over_when_both_connections_are_lost() -> None:
    async def scene(it: Scene) -> None:
        waiting, _ = it.arrive(2)
        it.call("a")
        it.seated.add("a")
        _, other = it.arrive(1)
        it.lobby.leave(waiting)
        it.seated.clear()
        while not other.said:  # sent at the next tick
            await asyncio.sleep(TICK / 10)
        assert other.said == [("call", "a", "t2")]

    _play(scene)


def test_decline_is_final_once_every_connection_has_declined() -> None:
    async def scene(it: Scene) -> None:
        one, _ = it.arrive(1)
        other, link = it.arrive(2)
        it.call("a")
        it.lobby.decline(other, "a", "busy")
        assert it.declined == []
        it.lobby.decline(one, "a", "busy too")
        assert it.declined == ["busy too"]
        assert len(link.said) == 1

    _play(scene)


def test_end_withdraws_only_unaccepted_calls() -> None:
    async def scene(it: Scene) -> None:
        _, link = it.arrive(2)
        one, other = it.call("a"), it.call("b")
        it.seated.add("b")
        it.lobby.end(one, "cancelled")
        it.lobby.end(other, "over")
        assert link.said[2:] == [("withdraw", "a")]

    _play(scene)


def test_revoked_token_sends_the_bot_away_at_once() -> None:
    async def scene(it: Scene) -> None:
        _, link = it.arrive(2)
        it.tokens.replace([])
        assert [said[0] for said in link.said] == ["dismiss"]
        assert len(it.lobby) == 0

    _play(scene)


def test_bot_with_no_token_left_loses_its_seats_and_no_other_bot_does() -> None:
    async def scene(it: Scene) -> None:
        it.arrive(2)
        for match in ("seated", "called", "unheard of"):
            it.call(match)
        it.seated.add("seated")
        it.tokens.replace([BotToken("stan", hash_token("new"))])
        assert it.barred == []  # it has been restarted
        it.tokens.replace([BotToken("stan", hash_token("new"), 1)])
        assert it.barred == []  # merely expired
        it.tokens.replace([BotToken("eva", hash_token("e"))])
        assert it.barred == ["seated", "called"]

    _play(scene)


def test_expiring_token_sends_the_bot_away_in_time() -> None:
    async def scene(it: Scene) -> None:
        now = [1000.0]
        tokens = Tokens(None, lambda: now[0])
        soon = BotToken("stan", hash_token("s"), 1001)
        tokens.replace([soon])
        lobby = Lobby(tokens)
        link = Link()
        lobby.arrive(soon, link, "test/1", 1)
        assert len(lobby) == 1
        now[0] = 1001.0
        while not link.said:
            await asyncio.sleep(0.05)
        assert [said[0] for said in link.said] == ["dismiss"]

    _play(scene)


def test_closing_is_announced_to_present_and_later_bots() -> None:
    async def scene(it: Scene) -> None:
        _, link = it.arrive(1)
        it.lobby.close_soon(Closing(5000))
        _, late = it.arrive(1)
        assert link.said == late.said == [("closing", Closing(5000))]

    _play(scene)
