"""Recorded matches played again side by side by the native core of `damrak.env`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from damrak.data.files import DamagedFile
from damrak.data.recorded import Match
from damrak.data.tape import Tape, numbers_of
from damrak.env.encode import Mask, Vector
from damrak.env.vectorized.native import NativeGames, NoCore, core
from damrak.env.vectorized.plan import AS_ACTOR, Array, Autoreset, Plan, arrays_for
from damrak.env.vectorized.structures import Game
from damrak_engine.dice import STREAMS
from damrak_engine.position import OVER
from damrak_engine.rules import Rules

NOT_WANTED: Final = -1


def can_play(match: Match, tape: Tape) -> bool:
    """Return whether the native core can play this match again.

    It knows no faults, and the two options that draw lots in long sequences are rare.
    """
    options = match.rules.options
    if tape.has_fault or options.returned_order == "shuffled" or options.final_tie == "seed draw":
        return False
    return has_core()


def has_core() -> bool:
    """Return whether the native core was built."""
    try:
        core()
    except NoCore:
        return False
    return True


def play(
    rules: Rules,
    matches: Sequence[Match],
    tapes: Sequence[Tape],
    targets: Sequence[Array],
    observations: Vector,
    masks: Mask,
) -> None:
    """Play matches again and write the vectors and masks of their decisions.

    `targets` has an array for each match, with the row of each decision or `NOT_WANTED`.

    Raises:
        DamagedFile: a match cannot have been played like this.
    """
    games, numbers = _dealt(rules, matches, tapes)
    actions, seats = _padded(tapes, "actions"), _padded(tapes, "seats")
    rows = np.full(actions.shape, NOT_WANTED, np.int64)
    for i, target in enumerate(targets):
        rows[i, : len(target)] = target
    lengths = np.array([len(tape.actions) for tape in tapes])
    step = arrays_for(games.plan)  # the decisions of all matches at one time
    arrays = games.arrays
    for number in range(actions.shape[1]):
        arrays.select[:] = lengths > number
        arrays.actions[:] = actions[:, number]
        illegal = games.check(select=True)
        if illegal >= 0:
            raise DamagedFile(matches[illegal].name, f"decision {number} is not legal")
        games.show(AS_ACTOR, step.observations, step.masks, step.seats)
        wrong = np.flatnonzero((lengths > number) & (step.seats != seats[:, number]))
        if len(wrong):
            seat = step.seats[wrong[0]]
            problem = f"decision {number} of seat {seat} was expected"
            raise DamagedFile(matches[wrong[0]].name, problem)
        at = rows[:, number]
        wanted = at != NOT_WANTED
        assert step.observations is not None
        assert step.masks is not None
        observations[at[wanted]] = step.observations[wanted]
        masks[at[wanted]] = step.masks[wanted]
        games.play()
    _check_results(games, matches)
    del numbers  # the core read them until here


def _dealt(
    rules: Rules, matches: Sequence[Match], tapes: Sequence[Tape]
) -> tuple[NativeGames, Array]:
    """Return the dealt matches, and the random numbers that must outlive them."""
    plan = Plan(rules, len(matches), autoreset=Autoreset.NEVER, is_logged=False)
    games = NativeGames(plan, arrays_for(plan, bare=True))
    size = max(max(tape.numbers) for tape in tapes)
    numbers = np.zeros((len(matches), len(STREAMS), size), np.uint64)
    for i, (match, tape) in enumerate(zip(matches, tapes, strict=True)):
        numbers_of(match.header.seed, tape, numbers[i])
        game: Any = games.game(i)
        assert isinstance(game, Game)
        game.tape, game.tape_size = numbers[i].ctypes.data, size
        game.deal = tape.first  # the first player under the option first_player = rotate
    games.arrays.select.fill(1)
    games.deal()
    return games, numbers


def _padded(tapes: Sequence[Tape], name: str) -> Array:
    values = [getattr(tape, name) for tape in tapes]
    padded = np.full((len(values), max(map(len, values))), -1, np.int64)
    for i, row in enumerate(values):
        padded[i, : len(row)] = row
    return padded


def _check_results(games: NativeGames, matches: Sequence[Match]) -> None:
    for i, match in enumerate(matches):
        if games.phase[i] != OVER:
            raise DamagedFile(match.name, "the match does not end")
        outcome = games.arrays.outcomes[i]
        if [*zip(match.totals, match.places, strict=True)] != [
            *map(tuple, outcome[:, :2].tolist())
        ]:
            raise DamagedFile(match.name, "the result differs from that of the decisions")
