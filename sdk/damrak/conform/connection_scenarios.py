"""Scenarios about lost connections, and about the end of a match."""

from __future__ import annotations

from typing import Final

from damrak.conform.game import Table
from damrak.conform.question_scenarios import plays_briefly
from damrak.conform.scenario import Scenario
from damrak.conform.stage import Stage
from damrak_wire import table as wire


async def comes_back(stage: Stage) -> None:
    """End the connection while no answer is due."""
    async with stage.game(Table(seats=3)) as game:
        await game.begun()
        await game.play(2)
        await game.take(await game.answer(), tell=False)
        game.drop()
        await game.rejoined(2)
        await game.finish()


async def comes_back_owing(stage: Stage) -> None:
    """End the connection with a question open, and again with an answer in transit."""
    async with stage.game(Table(seats=3)) as game:
        await game.begun()
        await game.play(1)
        game.drop()
        await game.rejoined(2)
        await game.play(1)
        await game.answer()  # discarded, as if it had been lost
        game.drop()
        await game.rejoined(3)
        await game.finish()


async def comes_back_before_the_start(stage: Stage) -> None:
    """End the connection before the match begins: the client must send Ready again."""
    async with stage.game() as game:
        await game.seated()
        game.drop()
        game.chair.readies = 0  # as if Ready had been lost with the connection
        await game.rejoined(2)
        await game.ready()
        await game.begin()
        await game.finish()


async def survives_a_cut(stage: Stage) -> None:
    """Abort all connections at once."""
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
    """End the connection, and call the client to the same match with another ticket."""
    async with stage.game() as game:
        await game.begun()
        await game.play(2)
        game.drop()
        await game.call()
        await game.rejoined(2, any_ticket=True)
        await game.finish()


async def starts_over(stage: Stage) -> None:
    """Kill the client's program in mid-game and restart it without any state."""
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
    """Declare the match void: the client must leave, and be free for the next."""
    async with stage.game() as game:
        await game.begun()
        await game.play(2)
        await game.void("the referee's machine failed")
    await plays_briefly(stage)


async def accepts_its_removal(stage: Stage) -> None:
    """Remove the client from a match that continues without it."""
    async with stage.game(Table(seats=3, seat=1)) as game:
        await game.begun()
        await game.play(2)
        await game.chair.leave(
            wire.ending_fault(0, (), game.seat, "timeout", "the bank was used up")
        )
    await plays_briefly(stage)


async def leaves(stage: Stage) -> None:
    """Check that the client closes its side at the end; one started for one match must exit."""
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
