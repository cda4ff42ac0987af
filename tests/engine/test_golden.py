"""Recorded games and counts of histories are unchanged, byte for byte; see goldens.py."""

from __future__ import annotations

import json

import pytest

from damrak_engine.boards import board_names
from damrak_engine.events import KINDS
from goldens import FOLDER, PERFT, POSITIONS, Game, Position, counted, games, transcript

REMEDY = "if the rules, a board or the format changed on purpose: .ci/regen-golden"


@pytest.mark.parametrize("game", games(), ids=lambda game: game.file)
def test_game_is_unchanged(game: Game) -> None:
    path = FOLDER / game.file
    assert path.exists(), f"no such file yet: .ci/regen-golden writes it ({path.name})"
    wanted = path.read_text(encoding="utf-8").split("\n")
    lines = transcript(game).split("\n")
    for number, (line, want) in enumerate(zip(lines, wanted, strict=False), start=1):
        assert line == want, f"line {number} of {game.file}; {REMEDY}"
    assert len(lines) == len(wanted)


@pytest.mark.parametrize(
    ("position", "number"),
    [pytest.param(p, i, id=f"{p.seats}-{p.steps}") for i, p in enumerate(POSITIONS)],
)
def test_number_of_histories(position: Position, number: int) -> None:
    wanted = json.loads((FOLDER / PERFT).read_text(encoding="utf-8"))
    assert counted(position) == wanted[number], REMEDY


def test_every_board_and_number_of_seats_has_a_game() -> None:
    files = {path.name for path in FOLDER.iterdir()}
    for name in board_names():
        assert any(file.startswith(f"{name}-") for file in files), f"{name}: .ci/regen-golden"
    for seats in (2, 3, 4):
        assert f"amsterdam-{seats}.txt" in files


def test_no_file_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} <= {*(g.file for g in games()), PERFT}


def test_games_show_every_kind_of_event() -> None:
    text = "".join((FOLDER / game.file).read_text(encoding="utf-8") for game in games())
    assert [kind for kind in KINDS if f'"event":"{kind}"' not in text] == []
