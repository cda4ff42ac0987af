"""Scenarios about whole games."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Final

from damrak.conform.game import Table
from damrak.conform.house import hoarder
from damrak.conform.network import Slowness
from damrak.conform.scenario import Failed, Scenario
from damrak.conform.stage import Stage
from damrak_engine.board import Board, parse_board
from damrak_engine.boards import load_board
from damrak_engine.generator import generate
from damrak_engine.options import parse_options

MOST_AT_ONCE: Final = 8
BAD_LINE: Final = Slowness(piece=97, wait_s=0.002)


@lru_cache(maxsize=1)
def strange_board() -> Board:
    """Return a board that no client has seen."""
    return parse_board(generate(7, 12))


@lru_cache(maxsize=1)
def endless_table() -> Table:
    """Return a table at which nothing runs out before the turn limit is reached."""
    source = {**load_board("amsterdam").source, "id": "endless", "name": "Endless"}
    board = parse_board({**source, "carts_per_player": 200, "cards_per_colour": 120})
    return Table(board, 4, options=parse_options({"turn_limit": "400"}), policy=hoarder)


async def plays(stage: Stage, table: Table) -> None:
    """Play one game from the call to the result."""
    async with stage.game(table) as game:
        await game.begun()
        await game.finish()


async def plays_two(stage: Stage) -> None:
    """Play with two seats, in either of them, on both boards."""
    await plays(stage, Table())
    await plays(stage, Table(load_board("amsterdam"), 2, seat=1))


async def plays_three(stage: Stage) -> None:
    """Play with three seats on a generated board."""
    await plays(stage, Table(strange_board(), 3, seat=2))


async def plays_four(stage: Stage) -> None:
    """Play with four seats on the board of Amsterdam."""
    await plays(stage, Table(load_board("amsterdam"), 4, seat=3))


async def chooses_contracts(stage: Stage) -> None:
    """Let the client choose its first contracts, simultaneously and in turn order."""
    await plays(stage, Table(seats=3, seat=1))
    await plays(
        stage, Table(seats=3, seat=2, options=parse_options({"initial_choice": "in_turn_order"}))
    )


async def plays_several(stage: Stage) -> None:
    """Play as many games at once as the client accepts."""
    lobby = await stage.client_here()
    games = [stage.game(Table(seat=n % 2)) for n in range(min(lobby.capacity, MOST_AT_ONCE))]
    try:
        for game in games:
            await game.__aenter__()
            await game.seated()
        for game in games:
            await game.begin()
        ends = await asyncio.gather(*(game.finish() for game in games), return_exceptions=True)
    finally:
        for game in games:
            await game.close()
    for end in ends:
        if isinstance(end, Failed):
            raise Failed(f"with {len(games)} games at once {end}")
        if end is not None:
            raise end


async def hears_promptly(stage: Stage) -> None:
    """Play with prompt events, which are harmless even if they were not requested."""
    await plays(stage, Table(seats=4, seat=1))


async def hears_much(stage: Stage) -> None:
    """Play a very long game, and send its whole history again near the end."""
    async with stage.game(endless_table()) as game:
        await game.begun()
        await game.play(80)
        game.drop()
        await game.rejoined(2)
        await game.finish()


async def bears_a_bad_line(stage: Stage) -> None:
    """Send everything late and in small pieces."""
    stage.line.slowness = BAD_LINE
    await plays(stage, Table())


SCENARIOS: Final = (
    Scenario("two-seats", "plays games of two", "A seat from Join to Ending", plays_two),
    Scenario("three-seats", "plays on an unknown board", "Actions", plays_three),
    Scenario("four-seats", "plays games of four", "A seat from Join to Ending", plays_four),
    Scenario(
        "first-contracts", "chooses its first contracts", "Questions and answers", chooses_contracts
    ),
    Scenario("several-games", "plays several games at once", "Calls and capacity", plays_several),
    Scenario("prompt-events", "hears events as they happen", "Events", hears_promptly),
    Scenario("many-events", "takes a long history", "Events", hears_much),
    Scenario("slow-network", "bears a bad line", "Connecting", bears_a_bad_line),
)
