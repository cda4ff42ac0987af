"""Health figures: their reference values, and the detection of bad boards."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from damrak_engine.board import Board, parse_board
from damrak_engine.boards import load_board
from damrak_engine.generator import Health, TableHealth, generate, health
from damrak_engine.generator.health import USUAL_LENGTH


def changed(name: str, **changes: Any) -> Board:
    return parse_board(json.loads(json.dumps(load_board(name).source)) | changes)


def test_usual_length_is_that_of_amsterdam() -> None:
    found = health(load_board("amsterdam"), 1500, random.Random(1).random)
    for table in found.tables:
        assert table.length == pytest.approx(USUAL_LENGTH[table.seats], rel=0.015)
    assert found.is_healthy


def test_games_are_shared_out_and_all_reported() -> None:
    played: list[int] = []
    found = health(load_board("practice"), 230, random.Random(1).random, played.append)
    assert [table.games for table in found.tables] == [77, 77, 76]
    assert sum(played) == 230


def test_same_chance_gives_same_figures() -> None:
    board = load_board("practice")
    assert health(board, 60, random.Random(2).random) == health(board, 60, random.Random(2).random)


def test_a_board_without_room_for_the_carts_is_detected() -> None:
    found = health(changed("practice", carts_per_player=16), 150, random.Random(1).random)
    assert found.stalemates > 0
    assert not found.is_healthy


def test_practice_is_short_but_never_stuck() -> None:
    found = health(load_board("practice"), 600, random.Random(1).random)
    assert found.stalemates == 0
    assert not found.is_of_usual_length
    assert all(0.5 < table.length_ratio < 0.65 for table in found.tables)


@pytest.mark.parametrize("size", [12, 24, 40])
def test_new_boards_are_healthy(size: int) -> None:
    found = health(parse_board(generate(2, size)), 300, random.Random(1).random)
    assert found.is_healthy
    assert all(0.85 < table.length_ratio < 1.1 for table in found.tables)


@pytest.mark.parametrize(
    ("actions", "stalemates", "usual", "healthy"),
    [
        (5910, 0, True, True),
        (5910, 1, True, False),
        (7380, 0, True, True),
        (7400, 0, False, False),
        (4440, 0, True, True),
        (4400, 0, False, False),
    ],
)
def test_healthy_means_no_stalemate_and_within_a_quarter(
    actions: int, stalemates: int, usual: bool, healthy: bool
) -> None:
    found = Health((TableHealth(2, 100, actions, stalemates),))
    assert (found.is_of_usual_length, found.is_healthy) == (usual, healthy)
