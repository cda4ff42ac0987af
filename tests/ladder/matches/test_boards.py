"""Boards by name, and daily new ones that cannot be predicted."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.test import override_settings

from damrak_engine.board import parse_board
from damrak_engine.boards import load_board
from damrak_engine.generator import generate
from damrak_ladder.matches.boards import (
    add_board,
    board_file,
    board_for,
    check_pool,
    daily_board,
    prepare_boards,
)
from damrak_ladder.matches.errors import BadBoard, UnknownBoard
from damrak_ladder.matches.models import Board
from ladder.ladders import some_ladder
from ladder.people import NOW

pytestmark = pytest.mark.usefixtures("database")
DAY = timedelta(days=1)


def test_boards_of_the_engine_exist() -> None:
    assert json.loads(board_file("amsterdam")) == load_board("amsterdam").source


def test_unknown_board_is_named() -> None:
    with pytest.raises(UnknownBoard, match="atlantis"):
        board_file("atlantis")


def test_added_board_is_returned_unchanged() -> None:
    source = generate(5, 12)
    add_board("five", json.dumps(source).encode(), NOW)
    assert json.loads(board_file("five")) == source
    with pytest.raises(BadBoard, match="already a board named five"):
        add_board("five", json.dumps(source).encode(), NOW)


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("amsterdam", b"{}", "already a board named amsterdam"),
        ("../x", b"{}", "lower-case"),
        ("new", b"{", "expected JSON"),
        ("new", b'{"note": 0.5}', "expected whole numbers"),
        ("new", b'{"format": "damrak-board/1"}', "colours"),
    ],
)
def test_bad_board_is_refused_with_the_reason(name: str, data: bytes, problem: str) -> None:
    with pytest.raises(BadBoard, match=problem):
        add_board(name, data, NOW)
    assert not Board.objects.exists()


def test_board_of_the_day_is_created_once_and_lasts_a_day() -> None:
    ladder = some_ladder(boards=["daily:12"])
    name = daily_board(ladder.slug, 12, NOW)
    parse_board(json.loads(board_file(name)))
    assert daily_board(ladder.slug, 12, NOW + DAY / 3) == name
    assert prepare_boards(NOW) == 1
    assert Board.objects.count() == 1
    assert board_file(daily_board(ladder.slug, 12, NOW + DAY)) != board_file(name)


def test_board_of_the_day_is_the_secret_of_the_installation() -> None:
    ladder = some_ladder(boards=["daily:12"])
    files = []
    for secret in ("a" * 32, "b" * 32, "a" * 32):
        Board.objects.all().delete()
        with override_settings(SECRET_KEY=secret):
            files.append(board_file(daily_board(ladder.slug, 12, NOW)))
    assert files[0] != files[1]
    assert files[0] == files[2]


def test_pool_is_used_evenly() -> None:
    ladder = some_ladder(boards=["amsterdam", "practice"])
    assert [board_for(ladder, NOW, chance / 4) for chance in range(4)] == [
        "amsterdam",
        "amsterdam",
        "practice",
        "practice",
    ]


@pytest.mark.parametrize("pool", [[], ["atlantis"], ["daily:"], ["daily:11"], ["daily:x"]])
def test_bad_pool_is_refused(pool: list[str]) -> None:
    with pytest.raises((BadBoard, UnknownBoard)):
        check_pool(pool)
