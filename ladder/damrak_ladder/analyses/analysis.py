"""The whole analysis of a match: a pure function of its replay and those of its block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from damrak_engine.actions import (
    BLIND,
    FIRST_CLAIM,
    KEEP_BOTH,
    KEEP_FIRST,
    KEEP_SECOND,
    OFFER,
    PASS,
    TAKE,
)
from damrak_engine.cards import CARDS
from damrak_engine.replay import Replay
from damrak_engine.scoring import Result
from damrak_engine.state import State
from damrak_ladder.analyses import chances, costs, luck
from damrak_ladder.analyses.course import Step, course_of
from damrak_ladder.analyses.mirrored import mirrored
from damrak_ladder.analyses.points import points_of

FORMAT: Final = "damrak-analysis/1"
SHOWN: Final = 3  # decisions per seat


def analyse(replay: Replay, others: Sequence[Result] = (), effort: float = 1.0) -> dict[str, Any]:
    """Return the analysis of this match, as a JSON object.

    `others` are the results of the other matches with the same seed. `effort` scales the amount of
    computation; 1 is the default. The same replay gives the same analysis.

    Raises:
        ReplayError: the replay is not valid.
    """
    steps = course_of(replay)
    seed = replay.hash
    tries = max(2, int(chances.tries_for(len(steps)) * effort))
    along, from_the_deal = chances.chances_along(steps, replay.result, seed, tries)
    pairs = max(2, int(luck.tries_for(steps) * effort))
    deals = max(2, int(luck.DEALS * effort))
    lucks = luck.luck_of(replay, steps, f"{seed}/luck", pairs, deals)
    worst = costs.costs_along(steps, f"{seed}/costs", effort)
    return {
        "format": FORMAT,
        "replay": replay.hash,
        "seats": len(replay.seats),
        "chances": {
            "tries": tries,
            "moments": [found.moment for found in along],
            "seats": [
                [found.seats[seat].rounded(4) for found in along]
                for seat in range(len(replay.seats))
            ],
        },
        "decisions": _decisions(worst, steps),
        "luck": {
            "tries": pairs,
            "seats": [
                {
                    "lead": round(one.result, 2),
                    "turn": one.turn.rounded(2),
                    "deal": one.deal.rounded(2),
                    "draws": one.draws.rounded(2),
                    "play": one.play.rounded(2),
                }
                for one in lucks
            ],
        },
        "mirrored": [
            {
                "lead": round(one.lead, 2),
                "others": round(one.others, 2),
                "games": one.games,
                "difference": one.difference.rounded(2),
            }
            for one in (mirrored(replay.result, others, from_the_deal) if others else [])
        ],
        "points": points_of(replay, steps),
    }


def _decisions(worst: list[costs.Cost], steps: list[Step]) -> list[dict[str, Any]]:
    """Return the costliest decisions of each seat, in the order of the game.

    Decisions that cost nothing are left out.
    """
    shown: dict[int, int] = {}
    found = []
    for cost in worst:
        if cost.points.value > 0 and shown.get(cost.seat, 0) < SHOWN:
            shown[cost.seat] = shown.get(cost.seat, 0) + 1
            step = steps[cost.step]
            found.append(
                {
                    "seat": cost.seat,
                    "moment": step.at,
                    "played": told(step.state, cost.played),
                    "better": told(step.state, cost.better),
                    "points": cost.points.rounded(2),
                    "chance": cost.chance.rounded(4),
                    "worlds": cost.worlds,
                    "is_clear": cost.points.low > 0,
                }
            )
    return sorted(found, key=lambda decision: (decision["moment"], decision["seat"]))


def told(state: State, action: int) -> dict[str, Any]:
    """Return an action of the actor in the form of a replay's event."""
    seat = state.actor
    if action == BLIND:
        return {"event": "blind", "seat": seat}
    if TAKE <= action < OFFER:
        slot = action - TAKE
        return {"event": "take", "seat": seat, "slot": slot, "card": CARDS[state.row[slot]].word}
    if action == OFFER:
        return {"event": "offer", "seat": seat}
    if action in (KEEP_FIRST, KEEP_SECOND, KEEP_BOTH):
        kept = action - OFFER
        offer = state.offers[seat]
        kept_ids = [contract for i, contract in enumerate(offer) if kept >> i & 1]
        return {"event": "keep", "seat": seat, "contracts": kept_ids}
    if action == PASS:
        return {"event": "pass", "seat": seat}
    claim = state.rules.claims[action - FIRST_CLAIM]
    return {
        "event": "claim",
        "seat": seat,
        "route": claim.route,
        "colour": CARDS[claim.colour].word if claim.colour >= 0 else None,
        "wilds": claim.wilds,
    }
