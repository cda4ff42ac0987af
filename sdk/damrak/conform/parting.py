"""Scenarios about lost connections, and about the end of a match."""

from __future__ import annotations

from typing import Final

from damrak.conform.answering import plays_briefly
from damrak.conform.game import Table
from damrak.conform.scenario import Scenario
from damrak.conform.stage import Stage
from damrak_wire import table as wire


async def comes_back(stage: Stage) -> None:
    """The connection is lost while it owes nothing."""
    async with stage.game(Table(seats=3)) as game:
        await game.begun()
        await game.play(2)
        await game.take(await game.answer(), tell=False)
        game.drop()
        await game.rejoined(2)
        await game.finish()


async def comes_back_owing(stage: Stage) -> None:
    """The connection is lost with a question open, and again with an answer under way."""
    async with stage.game(Table(seats=3)) as game:
        await game.begun()
        await game.play(1)
        game.drop()
        await game.rejoined(2)
        await game.play(1)
        await game.answer()  # which we never got
        game.drop()
        await game.rejoined(3)
        await game.finish()


async def comes_back_before_the_start(stage: Stage) -> None:
    """The connection is lost before the match has begun: it has to be ready again."""
    async with stage.game() as game:
        await game.seated()
        game.drop()
        game.chair.readies = 0  # as if Ready had been lost with the connection
        await game.rejoined(2)
        await game.ready()
        await game.begin()
        await game.finish()


async def survives_a_cut(stage: Stage) -> None:
    """All its connections break at once, without a good-bye."""
    async with stage.game() as game:
        await game.begun()
        await game.play(2)
        lobby = stage.lobby
        stage.line.cut()
        game.lost()
        await game.rejoined(2)
        await stage.until(
            lambda: stage.lobby is not lobby and stage.lobby is not None and stage.lobby.is_here,
            "it came back to the table, but not to the lobby",
        )
        await game.finish()


async def follows_another_call(stage: Stage) -> None:
    """The connection is lost, and the lobby calls to the same match with another ticket."""
    async with stage.game() as game:
        await game.begun()
        await game.play(2)
        game.drop()
        await game.call()
        await game.rejoined(2, any_ticket=True)
        await game.finish()


async def starts_over(stage: Stage) -> None:
    """Its program is killed in mid-game and started again, knowing nothing."""
    assert stage.program is not None
    await stage.client_here()
    async with stage.game() as game:
        await game.begun()
        await game.play(2)
        await stage.program.kill()
        await stage.until_gone()
        game.lost()
        await game.call()
        await game.rejoined(2, any_ticket=True)
        await game.finish()


async def accepts_a_void(stage: Stage) -> None:
    """The match is declared void: it leaves, and is free for the next."""
    async with stage.game() as game:
        await game.begun()
        await game.play(2)
        await game.void("the referee's machine failed")
    await plays_briefly(stage)


async def accepts_its_removal(stage: Stage) -> None:
    """The match goes on without it."""
    async with stage.game(Table(seats=3, seat=1)) as game:
        await game.begun()
        await game.play(2)
        await game.chair.leave(
            wire.ending_fault(0, (), game.seat, "timeout", "the bank was used up")
        )
    await plays_briefly(stage)


async def leaves(stage: Stage) -> None:
    """When it is over, it closes its side; a program that was started for one match ends."""
    await plays_briefly(stage)
    if stage.one_seat:
        await stage.program_ended()


SCENARIOS: Final = (
    Scenario("rejoin", "comes back to the table", "Coming back", comes_back),
    Scenario("rejoin-owing", "answers again after a loss", "Coming back", comes_back_owing),
    Scenario(
        "rejoin-early", "comes back before the start", "Coming back", comes_back_before_the_start
    ),
    Scenario("cut", "survives a broken line", "Coming back", survives_a_cut),
    Scenario("called-again", "follows another call", "Coming back", follows_another_call),
    Scenario("void", "accepts a void match", "Endings", accepts_a_void),
    Scenario("removal", "accepts its removal", "Endings", accepts_its_removal),
    Scenario("leaving", "closes after Ending", "Endings", leaves),
)
WITH_PROGRAM: Final = (Scenario("restart", "goes on after a restart", "Coming back", starts_over),)
