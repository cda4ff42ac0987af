"""A few hundred real replays, shared by the matches of a generated season.

The replays are of games played at random, so the course shown on a match page is unrelated to the
result of the match.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np

from damrak_engine import scoring
from damrak_engine.boards import load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.events import Event
from damrak_engine.options import DEFAULTS
from damrak_engine.replay import Played, Player, record, to_bytes
from damrak_engine.rules import rules_for
from damrak_ladder.population import bulk
from damrak_ladder.replays.storage import keep

BOARD = "amsterdam"


def keep_films(chance: np.random.Generator, count: int, now: datetime) -> dict[int, Any]:
    """Store about `count` replays in the usual way; return their hashes by the number of seats."""
    each = max(1, count // 3)
    return {
        seats: bulk.texts(keep(_played(chance, seats, now)).replay for _ in range(each))
        for seats in (2, 3, 4)
    }


def _played(chance: np.random.Generator, seats: int, now: datetime) -> bytes:
    board = load_board(BOARD)
    seed = chance.bytes(32)
    dice = SeedDice(seed)
    log: list[Event] = []
    state = new_game(rules_for(board, seats, DEFAULTS), dice, log)
    while not state.is_over:
        state.apply(state.random_action(chance.random), dice)
    at = f"{now:%Y-%m-%dT%H:%M:%SZ}"
    return to_bytes(
        record(
            board=board,
            options=DEFAULTS,
            seats=tuple(Player(f"bot-{seat}", "1", "ann") for seat in range(seats)),
            seed=seed,
            events=log,
            result=scoring.result(state, dice),
            played=Played(at, at, "damrak", "made up"),
            match="0",
            block="0",
            ladder="amsterdam",
        )
    )
