"""Replays for analyses, of games with given choosers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from damrak_engine.boards import load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.events import Event
from damrak_engine.options import DEFAULTS, Options
from damrak_engine.replay import Played, Player, Replay, record
from damrak_engine.rules import Rules, rules_for
from damrak_engine.scoring import result
from damrak_engine.state import State
from damrak_ladder.analyses.board_index import ground_of
from damrak_ladder.analyses.policy import Policy

Choose = Callable[[State], int]
PLAYED = Played("2026-11-18T09:00:00Z", "2026-11-18T09:00:01Z", "damrak 0.1.0", "a")


def by_chance(number: int) -> Choose:
    """Return a chooser of random legal actions."""
    rng = random.Random(number)
    return lambda state: state.random_action(rng.random)


def by_policy(rules: Rules) -> Choose:
    """Return the chooser of the reference policy."""
    return Policy(ground_of(rules)).choose


def a_replay(
    number: int,
    seats: int = 2,
    board: str = "practice",
    choosers: Sequence[Choose] = (),
    leaver: int | None = None,
    options: Options = DEFAULTS,
) -> Replay:
    """Return a game of these choosers, or of the reference policy; the leaver leaves half-way."""
    seed = random.Random(number).randbytes(32)
    dice = SeedDice(seed)
    log: list[Event] = []
    played = load_board(board)
    rules = rules_for(played, seats, options)
    choosers = choosers or [by_policy(rules)] * seats
    state = new_game(rules, dice, log)
    while not state.is_over:
        if state.actor == leaver and len(log) > 25:
            state.leave(leaver, "crash", "made for a test", dice)
        else:
            state.apply(choosers[state.actor](state), dice)
    return record(
        board=played,
        options=options,
        seats=tuple(Player(f"bot-{seat}", "1", "ann") for seat in range(seats)),
        seed=seed,
        events=log,
        result=result(state, dice),
        played=PLAYED,
    )
