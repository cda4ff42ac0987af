"""Advice to people: what a house bot would do in their place.

A process of low priority decides, one at a time. It is given the observation that the referee sent
to the seat, and nothing else, so no advice can depend on hidden cards.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from damrak_engine.bundle import Failed, Limited, Situation, bundle_json, step_json
from damrak_engine.clock import TimeControl
from damrak_ladder.matches.boards import board_file
from damrak_ladder.play.models import Chair, Heard
from damrak_wire.boards import rules_of
from damrak_wire.table import Asked, parse_response

ADVISERS: Final = {"hint": "mcts:iterations=200", "planner": "planner"}
"""The house bot that gives each kind of advice."""

PATIENCE_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish for advice on an open question, and the bundle that asks a bot."""

    chair: int
    decision: int
    kind: str
    bundle: dict[str, Any]


def next_wish(chairs: Collection[int]) -> Wish | None:
    """Return a wish of these chairs that has not been fulfilled."""
    open_ = Chair.objects.filter(
        pk__in=list(chairs), wish__in=list(ADVISERS), advice=None, choice=None
    )
    chair = open_.exclude(asked=None).select_related("game__block").order_by("pk").first()
    if chair is None or chair.asked is None or chair.game.block is None:
        return None
    row = Heard.objects.filter(
        chair=chair, attempt=chair.attempt, number=chair.question or 0
    ).first()
    if row is None:
        return None
    seats = chair.game.chairs.count()
    rules = rules_of(board_file(chair.game.board), seats, chair.game.block.options)
    asked = parse_response(bytes(row.data), rules)
    if not isinstance(asked, Asked):
        return None
    return Wish(chair.pk, chair.asked, chair.wish, _bundle(asked, chair.number, chair.wish))


def _bundle(asked: Asked, seat: int, kind: str) -> dict[str, Any]:
    step = step_json(
        decision=asked.decision,
        events=(),
        observation=asked.observation,
        legal=asked.legal,
        time_left=asked.time_left,
        objection=None,
        answer=None,
    )
    spec = ADVISERS[kind]
    nobody = Failed(spec, kind, "0", None, False, None, "", "", "", "")
    limits = Limited(None, PATIENCE_S, PATIENCE_S)
    control = TimeControl(decision_ms=None, bank_ms=3_600_000)
    return bundle_json(
        nobody, Situation(asked.observation.rules, seat, control, asked.decision, limits), [step]
    )


async def advised(wish: Wish) -> int | None:
    """Return the action that the bot would choose; None if it did not answer."""
    command = (sys.executable, "-m", "damrak.advice", ADVISERS[wish.kind])
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    try:
        said = process.communicate(json.dumps(wish.bundle).encode())
        output, _ = await asyncio.wait_for(said, PATIENCE_S)
        return int(json.loads(output)["action"])
    except (TimeoutError, ValueError, KeyError):
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def keep(wish: Wish, action: int | None) -> None:
    """Store advice, unless the question is no longer open."""
    mine = Chair.objects.filter(pk=wish.chair, asked=wish.decision, wish=wish.kind, advice=None)
    if action is None:
        mine.update(wish="")
    else:
        mine.update(advice=action)
