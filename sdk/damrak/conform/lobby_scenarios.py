"""Scenarios about the lobby, versions and calls."""

from __future__ import annotations

import time
from functools import partial
from typing import Final

import grpc

from damrak.conform.game import Game
from damrak.conform.lobby import Lobby
from damrak.conform.scenario import Absent, Failed, Scenario
from damrak.conform.stage import Stage
from damrak_wire.lobby import Call, Closing, Withdrawal

MOST_GAMES: Final = 32  # at once, even if the client accepts more
MOST_TRIES: Final = 3  # with an invalid ticket
TIGHT_LOOP: Final = 10  # attempts within a second
_TO_DECIDE_S: Final = 5  # then a client that does not respond is assumed to wait for room
BACK_IN_MS: Final = 2000  # long enough for two games, even on a busy machine


async def arrives(stage: Stage) -> None:
    """Wait for the client with its token and a hello; problems there are booked here."""
    lobby = await stage.client_here()
    if lobby.capacity < 1:
        raise Failed("it says in the lobby that it takes no games")


async def goes_elsewhere(stage: Stage) -> None:
    """Call the client to another address."""
    line = await stage.further_line()
    async with stage.game() as game:
        await game.seated(line.address)
        if not line.accepted:
            raise Failed(f"it was called to {line.address} and came to {stage.address}")
        await game.begin()
        await game.finish()


async def keeps_to_capacity(stage: Stage) -> None:
    """Call the client to as many games as it accepts, and to one more."""
    lobby = await stage.client_here()
    games = [stage.game() for _ in range(min(lobby.capacity, MOST_GAMES))]
    async with stage.game() as further:
        try:
            for game in games:
                await game.__aenter__()
                await game.seated()
            if len(games) == lobby.capacity:
                await _further(stage, games, further)
        finally:
            for game in games:
                await game.close()


async def _further(stage: Stage, games: list[Game], further: Game) -> None:
    await further.call()

    def decided() -> bool:
        return bool(further.chair.joins or (stage.lobby and further.name in stage.lobby.declined))

    try:
        await stage.until(decided, "", seconds=_TO_DECIDE_S)
    except Absent:
        raise
    except Failed:
        await games[0].void("this game makes room for another")
        await stage.until(
            decided, "a call beyond its capacity was neither declined nor followed later"
        )
        return
    if further.chair.joins:
        raise Failed(f"it plays {len(games) + 1} games although it said it takes {len(games)}")


async def survives_dead_tickets(stage: Stage) -> None:
    """Send calls with invalid tickets, which must leave the client free for the next game."""
    lobby = await stage.client_here()
    dead = [f"dead-{number}" for number in range(min(lobby.capacity, 4) + 1)]
    for ticket in dead:
        await lobby.send(Call(f"match-of-{ticket}", "", ticket, 1000))
        await stage.until(
            partial(_is_answered, stage, lobby, ticket),
            "it did not follow a call",
        )
    await _plays_one(stage, "after calls with tickets that were refused")
    tries = max(stage.dead_tickets.count(ticket) for ticket in dead)
    if tries > MOST_TRIES:
        raise Failed(f"it tried a ticket that was refused (UNAUTHENTICATED) {tries} times")


def _is_answered(stage: Stage, lobby: Lobby, ticket: str) -> bool:
    return ticket in stage.dead_tickets or f"match-of-{ticket}" in lobby.declined


async def stands_withdrawals(stage: Stage) -> None:
    """Withdraw calls before and after the client joins, leaving it free for the next game."""
    lobby = await stage.client_here()
    for number in range(min(lobby.capacity, 4) + 1):
        name = f"withdrawn-{number}"
        await lobby.send(Call(name, "", f"ticket-of-{name}", 1000))
        await lobby.send(Withdrawal(name, "another bot did not come"))
    await lobby.send(Withdrawal("a match it has never heard of", "the match is over"))
    async with stage.game() as game:
        await game.seated()
        await lobby.send(Withdrawal(game.name, "another bot did not come"))
        await game.void("another bot did not come")
    await _plays_one(stage, "after withdrawals")


async def _plays_one(stage: Stage, when: str) -> None:
    async with stage.game() as game:
        try:
            await game.seated()
        except Absent:
            raise
        except Failed as problem:
            raise Failed(f"{when}: {problem}") from None
        await game.begin()
        await game.finish()


async def comes_back_to_the_lobby(stage: Stage) -> None:
    """End the lobby's stream while a game is running."""
    async with stage.game() as game:
        await game.begun()
        await game.play(1)
        lobby = stage.lobby
        assert lobby is not None
        lobby.close(grpc.StatusCode.UNAVAILABLE, "connection dropped to see what you do")
        back = await stage.client_here()
        if game.name not in back.arrived.playing:
            named = ", ".join(back.arrived.playing) or "none"
            raise Failed(
                f"back in the lobby it should have said that it plays {game.name}; it said {named}"
            )
        await game.finish()


async def makes_room_for_a_restart(stage: Stage) -> None:
    """Announce a restart: the client must finish its games, and return later."""
    async with stage.game() as game:
        await game.begun()
        await game.play(1)
        lobby = stage.lobby
        assert lobby is not None
        announced = time.monotonic()
        await lobby.send(Closing(BACK_IN_MS))
        await game.finish()
    if not lobby.is_here:
        raise Failed("it left the lobby when it heard Closing: calls may come to the very end")
    await _plays_one(stage, "called again after Closing")
    lobby.close(grpc.StatusCode.UNAVAILABLE, "this referee stops")
    await stage.client_here()
    waited = (time.monotonic() - announced) * 1000
    if waited < 0.9 * BACK_IN_MS:
        raise Failed(f"told to come back in {BACK_IN_MS} ms it was there after {waited:.0f}")
    await _plays_one(stage, "back again")


async def bears_a_newer_referee(stage: Stage) -> None:
    """Speak only later versions: the client must end, or retry at a moderate rate."""
    lobby = await stage.client_here()
    stage.speaks = (stage.speaks[1] + 1, stage.speaks[1] + 2)
    stage.refusals.clear()
    lobby.close(grpc.StatusCode.UNAVAILABLE, "this referee is replaced by a newer one")
    try:
        await stage.until(lambda: bool(stage.refusals), "it did not come back to the lobby")
        await stage.watch(1)
        if len(stage.refusals) > TIGHT_LOOP:
            raise Failed(
                f"refused for its version, it tried again {len(stage.refusals)} times in a second"
            )
        stage.speaks = (1, 2)
        await stage.until(
            lambda: stage.line.is_idle or (stage.lobby is not None and stage.lobby.is_here),
            "refused for its version (FAILED_PRECONDITION), it neither ended nor tried again",
        )
    except Absent:
        pass  # the client has ended, which is allowed


SCENARIOS: Final = (
    Scenario("arrival", "comes to the lobby with token and hello", "Waiting in the lobby", arrives),
    Scenario("elsewhere", "goes where a call says", "Calls and capacity", goes_elsewhere),
    Scenario("capacity", "takes as many games as it said", "Calls and capacity", keeps_to_capacity),
    Scenario(
        "dead-tickets", "gives up refused tickets", "Calls and capacity", survives_dead_tickets
    ),
    Scenario("withdrawal", "stands withdrawals", "Calls and capacity", stands_withdrawals),
    Scenario(
        "lobby-lost",
        "comes back to the lobby",
        "When the lobby's connection is lost",
        comes_back_to_the_lobby,
    ),
    Scenario(
        "closing", "makes room for a restart", "When the referee stops", makes_room_for_a_restart
    ),
)
LAST: Final = (
    Scenario("newer-referee", "bears a newer referee", "Versions", bears_a_newer_referee),
)
