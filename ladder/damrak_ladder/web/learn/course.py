"""The game of the course: one short game on the small board, played by the engine.

Seat 0 is the learner's. The decisions are stored, everything else follows from them and the seed:
each step of the course is a position of this game, and the game goes on to its end.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from damrak_engine.boards import load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.events import Event
from damrak_engine.options import DEFAULTS
from damrak_engine.replay import Played, Player, Replay, record
from damrak_engine.rules import Rules, rules_for
from damrak_engine.scoring import result
from damrak_engine.state import State
from damrak_ladder.web.replays.moments import moments_of

LEARNER: Final = 0
EYES: Final = str(LEARNER)
BOARD: Final = "practice"
SEED: Final = hashlib.sha256(b"damrak/learn/553").digest()
DECISIONS: Final = (7, 8, 4, 0, 1, 87, 3, 5, 1, 0, 97, 48, 3, 0, 4, 0, 1, 16, 72, 93)
_PLAYED: Final = Played("2026-11-19T00:00:00Z", "2026-11-19T00:00:00Z", "damrak", "course")


@dataclass(frozen=True, slots=True)
class Course:
    """The recorded game, the position before each decision, and what the learner sees."""

    replay: Replay
    positions: tuple[State, ...]  # must not be changed; the last one is the end
    moments: tuple[int, ...]  # of each position: the number of its latest event
    shown: dict[str, Any]  # the moments from the eyes of the learner


@cache
def course() -> Course:
    """Return the game of the course; playing it takes a few milliseconds."""
    log: list[Event] = []
    dice = SeedDice(SEED)
    state = new_game(rules(), dice, log)
    positions, moments = [state.copy()], [len(log) - 1]
    for decision in DECISIONS:
        state.apply(decision, dice)
        positions.append(state.copy())
        moments.append(len(log) - 1)
    replay = record(
        board=rules().board,
        options=DEFAULTS,
        seats=tuple(Player(f"seat-{seat}", "1", "damrak") for seat in range(2)),
        seed=SEED,
        events=log,
        result=result(state, dice),
        played=_PLAYED,
    )
    return Course(replay, tuple(positions), tuple(moments), moments_of(replay, EYES))


@cache
def rules() -> Rules:
    """Return the rules of this game."""
    return rules_for(load_board(BOARD), 2)


def values_at(moment: int) -> dict[str, Any]:
    """Return all values that the learner sees at a moment."""
    values: dict[str, Any] = {}
    for _event, changes in course().shown["moments"][: moment + 1]:
        values |= changes
    return values
