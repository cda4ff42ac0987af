"""The commands `damrak-ladder tournaments`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from damrak_ladder.command_line import main

FILE = Path(__file__).parents[1] / "tournaments" / "formats" / "bbppairings" / "15-7-11.trf"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["tournaments", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_pair_prints_the_next_round_of_a_trf(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "pair", str(FILE))
    assert found["round"] == 8
    numbers = [number for pair in found["pairings"] for number in pair] + [found["bye"]]
    assert sorted(numbers) == list(range(1, 16))
    assert found["cost"]["rematches"] == 0
    assert isinstance(found["cost"]["squared_gaps"], int | float)
    earlier = as_json(capsys, "pair", str(FILE), "--round", "3", "--absent", "1")
    assert earlier["round"] == 3
    assert 1 not in {number for pair in earlier["pairings"] for number in pair}


def test_pair_reads_json_with_tables(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "evening.json"
    file.write_text(json.dumps({"players": 4, "entrants": 11, "rounds": 5}))
    found = as_json(capsys, "pair", str(file), "--seed", "x")
    assert sorted(map(len, found["pairings"])) == [3, 4, 4]
    assert (found["bye"], found["seed"]) == (None, "x")
    code, out, _ = run(capsys, "pair", str(file))
    assert code == 0
    assert out.startswith("Round 1\n")
    file.write_text(json.dumps({"format": "single-elimination", "entrants": 3}))
    assert as_json(capsys, "pair", str(file))["bye"] == 1


def test_pair_says_when_all_rounds_are_played(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "over.json"
    over = {"entrants": 2, "rounds": 1, "played": [[{"entrants": [1, 2], "points": [1, 0]}]]}
    file.write_text(json.dumps(over))
    assert as_json(capsys, "pair", str(file))["over"]
    assert run(capsys, "pair", str(file))[1] == "All rounds are played: 1.\n"


def test_pair_names_what_is_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "broken.trf"
    file.write_text("001    x")
    code, _, err = run(capsys, "pair", str(file))
    assert code == 2
    assert "line 1: the start rank (columns 5-8) is 'x'; write a number from 1 to 9999" in err
    assert "no such file" in run(capsys, "pair", str(tmp_path / "none.trf"))[2]
    assert "--round: 1 or more" in run(capsys, "pair", str(FILE), "--round", "0")[2]
    assert "played rounds, not 8" in run(capsys, "pair", str(FILE), "--round", "9")[2]
    assert "there is no entrant 99" in run(capsys, "pair", str(FILE), "--absent", "99")[2]
    assert "ranks with commas" in run(capsys, "pair", str(FILE), "--absent", "one")[2]


@pytest.mark.process
def test_refused_rules_are_worded_without_an_installation(tmp_path: Path) -> None:
    file = tmp_path / "tables.json"
    file.write_text(json.dumps({"format": "swiss", "players": 4, "entrants": 5}))
    words = [sys.executable, "-m", "damrak_ladder", "tournaments", "pair", str(file)]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO")}
    done = subprocess.run(words, capture_output=True, text=True, env=plain)
    assert done.returncode == 2
    assert "players: The format swiss is for 2 players." in done.stderr


def test_simulate_prints_probability_and_cost(capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--format",
        "single-elimination",
        "--entrants",
        "16",
        "--lead",
        "25",
        "--runs",
        "500",
    ]
    found = as_json(capsys, "simulate", *options, "--blocks", "4")
    assert (found["blocks"], found["games"], found["runs"]) == (60, 120, 500)
    assert 0.4 < found["best_wins"] < 0.62
    assert found == as_json(capsys, "simulate", *options)
    code, out, _ = run(capsys, "simulate", *options)
    assert code == 0
    assert "A tournament takes 60 blocks, 120 games." in out


def test_simulate_warns_of_rounds_that_may_need_rematches(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--format", "swiss", "--entrants", "70", "--runs", "1", "--rounds"]
    [warning] = as_json(capsys, "simulate", *options, "36")["warnings"]
    assert "number of rounds is at most 35" in warning
    assert f"Warning: {warning}" in run(capsys, "simulate", *options, "36")[1]
    assert as_json(capsys, "simulate", *options, "35")["warnings"] == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--format", "swissy"], "'swissy' is unknown; choose single-elimination"),
        (["--format", "swiss", "--entrants", "1"], "--entrants: from 2 to 512, not 1"),
        (["--format", "swiss", "--lead", "nan"], "--lead: from 0 to 5000, not nan"),
        (["--format", "swiss", "--players", "4"], "--players: The format swiss is for 2 players."),
        (["--format", "swiss", "--runs", "0"], "--runs: from 1"),
    ],
)
def test_simulate_names_what_is_wrong(
    capsys: pytest.CaptureFixture[str], options: list[str], problem: str
) -> None:
    code, _, err = run(capsys, "simulate", *options)
    assert code == 2
    assert problem in err
