"""The pages of puzzles: nothing hidden before the answer, and one answer per browser."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from damrak_ladder.puzzles import generation
from damrak_ladder.puzzles.generation import make_puzzles
from damrak_ladder.puzzles.models import Puzzle
from damrak_ladder.web.puzzles.memory import COOKIE, REMEMBERED, Memory
from ladder.puzzles.puzzle_games import its_puzzles, recorded_game
from ladder.visitors import page, visitor

DAY = date(2026, 11, 19)


@pytest.fixture(autouse=True)
def _quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "DAMRAK_HOME", tmp_path)
    monkeypatch.setattr(settings, "DAMRAK_REPLAY_STORE", "database")
    monkeypatch.setattr(generation, "puzzles_in", lambda replay, effort: list(its_puzzles()))


def answer(client: Client, puzzle: Puzzle, choice: object, **more: str) -> int:
    return client.post(f"/en/puzzles/{puzzle.pk}/", {"choice": choice}, **more).status_code


@pytest.mark.usefixtures("database")
def test_a_puzzle_is_answered_once_and_keeps_its_secret_until_then():
    assert "There are no puzzles yet" in page(visitor(), "/puzzles/")
    recorded_game()
    make_puzzles(timezone.now)
    puzzle = Puzzle.objects.get(days__day=timezone.now().date())
    client = visitor()
    shown = page(client, "/puzzles/")
    assert "points behind" not in shown
    assert f"/matches/{puzzle.match_id}/" not in shown
    assert shown.count('name="choice"') == 3
    assert COOKIE not in client.cookies
    assert "difficulty not known yet" in shown
    assert '<td class="number">1500</td>' not in page(client, "/puzzles/all/")
    assert answer(client, puzzle, 7) == 302  # no such choice
    assert answer(client, puzzle, puzzle.best, HTTP_SEC_FETCH_SITE="cross-site") == 403
    assert answer(client, puzzle, puzzle.best) == 302
    shown = page(client, f"/puzzles/{puzzle.pk}/")
    assert "Right!" in shown
    assert "1 day in a row" in shown
    assert shown.count("points behind") == 2
    assert f"/matches/{puzzle.match_id}/?at={puzzle.moment}&amp;eyes={puzzle.seat}" in shown
    answer(client, puzzle, (puzzle.best + 1) % 3)  # a second answer changes nothing
    assert "Right!" in page(client, f"/puzzles/{puzzle.pk}/")
    assert answer(visitor(), puzzle, (puzzle.best + 1) % 3) == 302
    puzzle.refresh_from_db()
    assert (puzzle.right, puzzle.wrong) == (1, 1)
    assert "difficulty 1500" in page(client, f"/puzzles/{puzzle.pk}/")
    client.cookies[COOKIE] = "forged"
    assert "points behind" not in page(client, f"/puzzles/{puzzle.pk}/")


@pytest.mark.usefixtures("database")
def test_the_position_has_only_what_the_seat_knew():
    recorded_game()
    make_puzzles(timezone.now)
    for puzzle in Puzzle.objects.all():
        shown = page(visitor(), f"/puzzles/{puzzle.pk}/")
        panels = shown.split('<article class="seat ')[1:]
        assert len(panels) == 2
        assert "thought for" not in shown
        for seat, panel in enumerate(panels):
            assert ("contract--back" in panel) == (seat != puzzle.seat)
        assert "bot-" not in shown.split("<main")[1].split("</main>")[0]


@pytest.mark.usefixtures("database")
def test_the_archive_lists_puzzles_in_any_order():
    recorded_game()
    make_puzzles(timezone.now)
    for order in ("new", "easy", "hard", "nonsense"):
        shown = page(visitor(), f"/puzzles/all/?sort={order}&page=1")
        assert shown.count('<th scope="row">') == Puzzle.objects.count()


def test_a_streak_needs_every_day():
    memory = Memory().solved_on(DAY).solved_on(DAY + timedelta(days=1))
    assert memory.solved_on(DAY) == memory
    assert (memory.streak_on(DAY + timedelta(days=2)), memory.best) == (2, 2)
    assert memory.streak_on(DAY + timedelta(days=3)) == 0
    later = memory.solved_on(DAY + timedelta(days=3))
    assert (later.streak, later.best) == (1, 2)
    for number in range(REMEMBERED + 5):
        memory = memory.answered(number, 1)
    assert len(memory.answers) == REMEMBERED
    assert memory.answer_to(0) is None
