"""`damrak board`: new, check, draw, list."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from damrak.cli import board, main
from damrak.cli.board import board_text
from damrak.cli.errors import Misuse
from damrak.cli.parser import Parser
from damrak_engine.boards import load_board
from damrak_engine.generator import generate

# CI may force colours, and with them escape codes.
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """Runs the command in this process and reads its output."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *words: str | Path) -> tuple[int, str]:
        parser = Parser(prog="damrak")
        board.add_parser(parser.add_subparsers(parser_class=Parser))
        args = parser.parse_args(["board", *map(str, words)])
        code: int = args.run(args)
        return code, ESCAPES.sub("", self.capsys.readouterr().out)

    def report(self, *words: str | Path) -> tuple[int, Any]:
        code, text = self(*words, "--json")
        return code, json.loads(text)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def edited(folder: Path, name: str, **changes: Any) -> Path:
    path = folder / "edited.json"
    path.write_text(json.dumps(load_board(name).source | changes), "utf-8")
    return path


# ---- new ---------------------------------------------------------------------------------------


def test_new_prints_the_board_of_the_seed(run: Terminal) -> None:
    code, text = run("new", "--seed", "3", "--locations", "12")
    assert code == 0
    assert json.loads(text) == generate(3, 12)
    assert run("new", "--seed", "3", "--locations", "12")[1] == text


def test_new_writes_a_file_that_passes_its_check(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "town.json"
    assert run("new", "--seed", "4", "--locations", "13", "-o", path) == (0, "")
    code, report = run.report("check", path, "--games", "150")
    assert code == 0
    assert report["ok"] is True
    assert (report["locations"], report["flaws"], report["stalemates"]) == (13, [], 0)


def test_new_without_seed_is_another_board_each_time(run: Terminal) -> None:
    texts = {run("new", "--locations", "12")[1] for _ in range(2)}
    assert len(texts) == 2


@pytest.mark.parametrize("size", ["11", "41", "many", "12.5"])
def test_new_refuses_other_sizes(run: Terminal, size: str) -> None:
    with pytest.raises(Misuse, match="--locations"):
        run("new", "--locations", size)


def test_board_files_are_laid_out_for_people(run: Terminal) -> None:
    source = load_board("amsterdam").source
    text = board_text(source)
    assert json.loads(text) == source
    lines = text.splitlines()
    assert sum('"length"' in line for line in lines) == len(source["routes"])
    assert max(len(line) for line in lines if '"note"' not in line) < 160


# ---- check -------------------------------------------------------------------------------------


def test_check_prints_the_health_of_amsterdam(run: Terminal) -> None:
    code, text = run("check", "amsterdam", "--games", "300")
    assert code == 0
    assert "17 locations, 45 routes, 24 contracts" in text
    assert text.splitlines()[-1] == "sound and healthy"
    code, report = run.report("check", "amsterdam", "--games", "300")
    assert code == 0
    assert report["wrong"] == []
    assert {seats: figures["games"] for seats, figures in report["players"].items()} == {
        "2": 100,
        "3": 100,
        "4": 100,
    }
    assert all(not flaw["grave"] for flaw in report["flaws"])


def test_check_finds_the_practice_board_short_unless_that_is_meant(run: Terminal) -> None:
    code, text = run("check", "practice", "--games", "90")
    assert code == 1
    assert "--any-length" in text.splitlines()[-1]
    assert run("check", "practice", "--games", "90", "--any-length")[0] == 0


def test_check_finds_stalemates(run: Terminal, tmp_path: Path) -> None:
    path = edited(tmp_path, "practice", carts_per_player=16)
    code, report = run.report("check", path, "--games", "150", "--any-length")
    assert code == 1
    assert report["wrong"] == ["stalemates"]
    assert report["stalemates"] == sum(f["stalemates"] for f in report["players"].values()) > 0


def test_check_finds_what_is_hard_to_read(run: Terminal, tmp_path: Path) -> None:
    spots = json.loads(json.dumps(load_board("practice").source["locations"]))
    spots[0] |= {"x": 500, "y": 400}
    path = edited(tmp_path, "practice", locations=spots)
    code, text = run("check", path, "--games", "3", "--any-length")
    assert code == 1
    assert "flaw: " in text
    assert "crosses" in text


def test_check_is_repeatable(run: Terminal) -> None:
    once = run.report("check", "practice", "--games", "60", "--seed", "5")
    assert run.report("check", "practice", "--games", "60", "--seed", "5") == once
    assert run.report("check", "practice", "--games", "60", "--seed", "6") != once


@pytest.mark.parametrize("verb", ["check", "draw"])
def test_a_bad_file_is_one_line_that_names_the_field(
    run: Terminal, tmp_path: Path, verb: str
) -> None:
    path = edited(tmp_path, "practice", wild_cards=-1)
    with pytest.raises(Misuse, match=r"edited\.json: wild_cards: must be from"):
        run(verb, path)
    with pytest.raises(Misuse, match="no such file"):
        run(verb, tmp_path / "nothing.json")


def test_the_command_line_ends_with_one_line_and_code_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["board", "check", str(edited(tmp_path, "practice", players=[2, 7]))]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("damrak: ")
    assert "players[1]: must be from 2 to 4, not 7" in complaint
    assert complaint.count("\n") == 1


# ---- draw and list -----------------------------------------------------------------------------


def test_draw_writes_an_svg(run: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    assert run("draw", "amsterdam", "-o", path)[0] == 0
    assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert run("draw", "amsterdam")[1] == path.read_text("utf-8")


def test_list_names_the_boards_of_the_package(run: Terminal) -> None:
    code, report = run.report("list")
    assert code == 0
    assert [entry["board"] for entry in report["boards"]] == ["amsterdam", "practice"]
    text = run("list")[1]
    assert "Amsterdam, 17th century" in text


def test_without_a_verb_there_is_help(run: Terminal) -> None:
    code, text = run()
    assert code == 0
    assert "damrak board new" in text
