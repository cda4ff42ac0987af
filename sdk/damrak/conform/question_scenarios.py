"""Scenarios about questions, answers, and other messages at a table."""

from __future__ import annotations

from typing import Final

from damrak.conform import unknown_fields
from damrak.conform.game import Table
from damrak.conform.game_scenarios import plays
from damrak.conform.scenario import Absent, Failed, Scenario
from damrak.conform.stage import Stage
from damrak_engine.effects import Stale, Why
from damrak_wire import table as wire

STALES: Final[tuple[Why, ...]] = ("answered", "late", "foreign", "unknown")


async def plays_briefly(stage: Stage) -> None:
    """Play a normal short game; problems are booked to this scenario where they are noticed."""
    await plays(stage, Table(seat=1))


async def answers_again(stage: Stage) -> None:
    """Ask the same question twice in a row: the game continues after one or two answers."""
    async with stage.game() as game:
        await game.begun()
        for _ in range(2):
            await game.ask()
            await game.play(1)
        await game.finish()


async def decides_again(stage: Stage) -> None:
    """Reject an answer twice: the client must decide again, legally, and the game continues."""
    async with stage.game() as game:
        await game.begun()
        await game.play(1)
        for strikes_left in (2, 1):
            await game.reject(await game.answer(), strikes_left)
        try:
            again = await game.answer()
        except Absent:
            raise
        except Failed as problem:
            raise Failed(f"after a Rejection {problem}") from None
        await game.take(again)
        await game.finish()


async def takes_stale_lightly(stage: Stage) -> None:
    """Send Stale, which is only information."""
    async with stage.game() as game:
        await game.begun()
        for decision, why in enumerate(STALES, 1):
            await game.chair.send(wire.stale(Stale(game.seat, decision, why)))
            await game.play(1)
        await game.finish()


async def takes_complaints_lightly(stage: Stage) -> None:
    """Send Complaint, which is only information."""
    async with stage.game() as game:
        await game.seated()
        await game.chair.send(wire.complaint("decision.action: said before the match began"))
        await game.begin()
        await game.chair.send(wire.complaint("nothing in particular"))
        await game.play(1)
        await game.finish()


async def skips_unknown_kinds(stage: Stage) -> None:
    """Send messages of kinds from later versions, in the lobby and at the table."""
    if not stage.one_seat:
        lobby = await stage.client_here()
        await lobby.send_raw(unknown_fields.unknown_kind())
        await lobby.send_raw(unknown_fields.EMPTY)
    async with stage.game() as game:
        await game.seated()
        await game.chair.send(unknown_fields.unknown_kind())
        await game.begin()
        await game.play(1)
        await game.chair.send(unknown_fields.EMPTY)
        await game.chair.send(unknown_fields.unknown_kind())
        await game.finish()


async def skips_unknown_fields(stage: Stage) -> None:
    """Send fields from later versions, at every depth of every message."""
    async with stage.game(Table(seats=3)) as game:
        game.chair.disguise = unknown_fields.with_unknown_fields
        await game.begun()
        await game.finish()


SCENARIOS: Final = (
    Scenario("decision-ids", "gives decision numbers back", "Questions and answers", plays_briefly),
    Scenario(
        "repeated-question", "stands a repeated question", "Questions and answers", answers_again
    ),
    Scenario("rejection", "decides again when rejected", "Rejections and strikes", decides_again),
    Scenario("stale", "takes Stale lightly", "Stale answers", takes_stale_lightly),
    Scenario("complaint", "takes complaints lightly", "Complaints", takes_complaints_lightly),
    Scenario(
        "unknown-kinds",
        "skips kinds it does not know",
        "What later versions may bring",
        skips_unknown_kinds,
    ),
    Scenario(
        "unknown-fields",
        "skips fields it does not know",
        "What later versions may bring",
        skips_unknown_fields,
    ),
    Scenario("note", "keeps notes short", "Questions and answers", plays_briefly),
    Scenario("think-time", "tells its thinking time", "Clocks", plays_briefly),
)
