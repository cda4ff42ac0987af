"""Matches with puzzles for tests: games of the reference policy that errs now and then."""

from __future__ import annotations

import random
from functools import cache

from damrak_engine.boards import load_board
from damrak_engine.replay import Replay, to_bytes
from damrak_engine.rules import rules_for
from damrak_engine.state import State
from damrak_ladder.matches.models import Match
from damrak_ladder.puzzles.models import Puzzle
from damrak_ladder.puzzles.search import Found, puzzles_in
from damrak_ladder.replays.storage import keep
from ladder.analyses.analysed import Choose, a_replay, by_policy
from ladder.films import recorded_films
from ladder.people import NOW


@cache
def a_game(number: int = 40) -> Replay:
    """Return a game with at least one puzzle."""
    rules = rules_for(load_board("practice"), 2)
    return a_replay(number, 2, "practice", [_erring(by_policy(rules), seat) for seat in range(2)])


@cache
def its_puzzles(number: int = 40) -> tuple[Found, ...]:
    return tuple(puzzles_in(a_game(number)))


def recorded_game(number: int = 40) -> Match:
    """Return a public match with this game."""
    match = recorded_films(2)[-1]
    Match.objects.filter(pk=match.pk).update(replay=keep(to_bytes(a_game(number))).replay)
    match.refresh_from_db()
    return match


def a_puzzle(match: Match) -> Puzzle:
    """Return a puzzle of a recorded match, which nothing has verified."""
    draw = {"event": "blind", "seat": 0}
    return Puzzle.objects.create(
        match=match,
        replay=match.replay,
        moment=9,
        seat=0,
        choices=[draw, {"event": "offer", "seat": 0}, {**draw, "event": "pass"}],
        best=0,
        played=draw,
        gains=[[0.0, 0.0, 0.0], [3.0, 2.0, 4.0], [3.0, 2.0, 4.0]],
        created=NOW,
    )


def _erring(choose: Choose, number: int) -> Choose:
    rng = random.Random(number)

    def chosen(state: State) -> int:
        return state.random_action(rng.random) if rng.random() < 0.1 else choose(state)

    return chosen
