"""Puzzles: searched once per public match, the same for everyone, with a learnt difficulty."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from django.conf import settings

from damrak_engine.events import Claim, Take
from damrak_engine.observation import observe
from damrak_engine.position import TURN
from damrak_engine.replay import Replay
from damrak_engine.scoring import split_contracts
from damrak_ladder.analyses.analysis import told
from damrak_ladder.analyses.course import Step, course_of
from damrak_ladder.matches.models import Block, BlockState, Match
from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.puzzle_codes import (
    BringsGoods,
    FreeRoutes,
    FulfilsContract,
    ScoresAtOnce,
)
from damrak_ladder.puzzles import generation
from damrak_ladder.puzzles.answers import count_answer, difficulty_of
from damrak_ladder.puzzles.daily import puzzle_of
from damrak_ladder.puzzles.gate import public_puzzles
from damrak_ladder.puzzles.generation import LEASE, MOST_TRIES, make_puzzles
from damrak_ladder.puzzles.models import Puzzle, PuzzleDay, PuzzleSource
from damrak_ladder.puzzles.reasons import reasons_of
from damrak_ladder.puzzles.search import LEAST, Found
from ladder.people import NOW
from ladder.puzzles.puzzle_games import a_game, its_puzzles, recorded_game


@pytest.fixture(autouse=True)
def _quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DAMRAK_HOME", tmp_path)
    monkeypatch.setattr(settings, "DAMRAK_REPLAY_STORE", "database")
    monkeypatch.setattr(generation, "puzzles_in", lambda replay, effort: list(its_puzzles()))


def make() -> bool:
    return make_at(NOW)


def make_at(now: datetime) -> bool:
    return make_puzzles(lambda: now)


def test_a_puzzle_has_one_move_that_is_surely_better():
    found = its_puzzles()
    assert found
    steps = {step.moment: step for step in course_of(a_game()) if step.action >= 0}
    for one in found:
        state = steps[one.moment].state
        assert observe(state, one.seat).actor == one.seat == state.actor
        assert len({str(choice) for choice in one.choices}) == 3
        for number, gain in enumerate(one.gains):
            if number == one.best:
                assert gain.value == 0
            else:
                assert gain.low > 0
                assert gain.value >= LEAST


def test_reasons_of_a_claim_are_what_the_claim_changes():
    game = a_game()
    kinds = set()
    for before, after in pairwise(course_of(game)):
        if not isinstance(before.decision, Claim):
            continue
        seat, old, new = before.state.actor, before.state, after.state
        reasons = _reasons(game, before)
        kinds |= {type(one) for one in reasons}
        [points] = [one.points for one in reasons if isinstance(one, ScoresAtOnce)]
        assert new.points[seat] - old.points[seat] == points
        assert new.goods[seat] - old.goods[seat] == (BringsGoods() in reasons)
        done = [
            len(split_contracts(game.board, one.owned[seat], old.contracts[seat])[0])
            for one in (old, new)
        ]
        assert done[1] - done[0] == sum(isinstance(one, FulfilsContract) for one in reasons)
    assert kinds == {ScoresAtOnce, BringsGoods, FulfilsContract}


def test_reasons_of_a_card_are_the_routes_that_it_may_still_claim():
    game = a_game()
    counts = []
    for step in course_of(game):
        if isinstance(step.decision, Take) and step.state.phase == TURN:
            card, seat = step.decision.card, step.state.actor
            taken = [step.state.owned[seat], step.state.owned[1 - seat]]
            closed = {
                route.id
                for route in game.board.routes
                if (taken[0] | taken[1]) >> route.id & 1
                or (route.twin is not None and (taken[0] | taken[1]) >> route.twin & 1)
            }
            free = [one for one in game.board.routes if one.id not in closed]
            count = sum(one.colour_word == card.word for one in free)
            assert _reasons(game, step) == ((FreeRoutes(count),) if count else ())
            counts.append(count)
    assert len(set(counts)) > 1


def _reasons(game: Replay, step: Step) -> tuple[Message, ...]:
    """The reasons for the move that was made, as if it were the best."""
    made = told(step.state, step.action)
    puzzle = Puzzle(moment=step.moment, seat=step.state.actor, choices=[made], best=0)
    return reasons_of(puzzle, game)


@pytest.mark.usefixtures("database")
def test_each_match_is_searched_once_and_fills_the_days():
    recorded_game()
    assert make()
    assert Puzzle.objects.count() == len(its_puzzles())
    assert not make()
    assert PuzzleSource.objects.get().is_done
    today = puzzle_of(NOW.date())
    assert today is not None
    assert PuzzleDay.objects.count() == min(2, len(its_puzzles()))
    assert puzzle_of(NOW.date() + timedelta(days=9)) is not None  # the latest one stays


@pytest.mark.usefixtures("database")
def test_a_killed_search_is_repeated_a_few_times(monkeypatch: pytest.MonkeyPatch):
    class Killed(BaseException):
        pass

    def die(_replay: Replay, _effort: float) -> list[Found]:
        raise Killed

    match = recorded_game()
    now = NOW
    with monkeypatch.context() as dying:
        dying.setattr(generation, "puzzles_in", die)
        for again in range(MOST_TRIES - 1):
            now = NOW + again * (LEASE + timedelta(seconds=1))
            with pytest.raises(Killed):
                make_at(now)
            assert not make_at(now)  # another process does not touch it
    assert make_at(now + LEASE + timedelta(seconds=1))
    assert PuzzleSource.objects.get(match=match).tries == MOST_TRIES
    assert Puzzle.objects.count() == len(its_puzzles())


@pytest.mark.usefixtures("database")
def test_only_recorded_public_matches_whose_replay_counts_have_puzzles():
    match = recorded_game()
    Block.objects.filter(pk=match.block_id).update(state=BlockState.DEAD)
    assert not make()
    Block.objects.filter(pk=match.block_id).update(state=BlockState.RECORDED)
    assert make()
    assert public_puzzles().exists()
    Match.objects.filter(pk=match.pk).update(replay="0" * 64)
    assert not public_puzzles().exists()
    assert puzzle_of(NOW.date()) is None


@pytest.mark.usefixtures("database")
def test_there_is_a_limit_per_hour(monkeypatch: pytest.MonkeyPatch):
    recorded_game()
    assert make()
    monkeypatch.setattr(generation, "PER_HOUR", Puzzle.objects.count())
    PuzzleSource.objects.all().delete()  # so that there is a match to search
    assert not make()
    assert make_at(NOW + timedelta(hours=2))


@pytest.mark.usefixtures("database")
def test_difficulty_is_learnt_from_answers():
    recorded_game()
    make()
    puzzle = Puzzle.objects.first()
    assert puzzle is not None
    assert puzzle.difficulty == difficulty_of(0, 0) == 1500
    for is_right in (True, False, False):
        count_answer(puzzle.pk, is_right=is_right)
    puzzle.refresh_from_db()
    assert (puzzle.right, puzzle.wrong) == (1, 2)
    assert puzzle.difficulty == difficulty_of(1, 2) > 1500
    assert difficulty_of(2, 38) == pytest.approx(1900)  # odds of ten to one, with the phantoms
    count_answer(0, is_right=True)  # a puzzle that is gone
