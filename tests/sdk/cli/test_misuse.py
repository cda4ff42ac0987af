"""Every command reports misuse in one line and exits with 2."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from cli import damrak
from damrak.cli import main
from damrak.cli.command import COMMANDS, build_parser
from positions import SMALL

MISUSES = [
    ("frobnicate", "invalid choice"),
    ("play", "BOT"),
    ("play random", "2 to 4 bots, not 1"),
    ("play random random random random random", "2 to 4 bots, not 5"),
    ("play gredy random", "did you mean greedy?"),
    ("play nowhere.py random", "'nowhere.py': no such file"),
    ("play ~nobody-here/bot.py random", "'~nobody-here/bot.py': no such file"),
    ("play greedy:speed=3 random", "greedy has no parameter 'speed'"),
    ("play random random --board amsterdm", "did you mean amsterdam?"),
    ("play random random --board nowhere.json", "'nowhere.json': no such file"),
    ("play random random --board wrong.json", "wrong.json: routes[3].length: must be"),
    ("play random random --board torn.json", "torn.json: expected JSON (Expecting value: line 1"),
    ("play random random --board fraction.json", "fraction.json: expected whole numbers without"),
    ("board draw empty", "empty: is a directory"),
    ("board draw amsterdam -o .", ".: is a directory"),
    ("board new --seed 1 --locations 12 -o nowhere/town.svg", "nowhere/town.svg: no such file"),
    ("board check deep.json", "deep.json: expected JSON that is not nested so deeply"),
    ("play random random --options all_wild", "write name=value"),
    ("play random random --options all_wlid=no", "did you mean all_wild?"),
    ("play random random --options all_wild=maybe", "'maybe' is not one of: yes, no"),
    ("play random random --options all_wild=no all_wild=yes", "given twice"),
    (f"play random random --options turn_limit={'9' * 5000}", "is not one of: off or a positive"),
    ("play random random --seed \udcff", "a seed must be UTF-8 text"),
    ("play random random --games none", "'none' is not a number"),
    ("play random random --games 0", "0 is not a whole number of 1 or more"),
    ("play random random --bank 0", "--bank: 0 leaves no thinking time"),
    ("play random random --bank -3", "not a number of seconds"),
    ("play random random --sprt 10 5", "elo1 must be above elo0"),
    ("play random random --sprt 0 5 --alpha 0.7", "alpha must lie between"),
    ("play random random --sprt 0 10000", "must lie within 1000 Elo, not 10000"),
    ("play random random --alpha 0.1", "--alpha needs --sprt"),
    ("play random random --save torn.json", "torn.json: already exists and is not a folder"),
    ("play random random --game 3", "did you mean --games? (see: damrak play --help)"),
    ("board check amsterdam --gmes 3", "did you mean --games? (see: damrak board check --help)"),
    ("plya random random", "invalid choice: 'plya'; did you mean play?"),
    ("download 12 --into torn.json --to http://127.0.0.1:9", "not a folder; choose another one"),
    ("matches --to https://nowhere.invalid", "check the address and your network"),
    ("matches --fault banana", "argument --fault: invalid choice: 'banana'"),
    ("verify", "FILE"),
    ("verify nowhere.json", "nowhere.json: no such file"),
    ("verify empty", "empty: the folder has no *.json files"),
    ("show nowhere.json", "nowhere.json: no such file"),
    ("show torn.json", "torn.json: header"),
    ("repro nowhere.json", "nowhere.json: No such file"),
    ("repro torn.json", "torn.json: not a JSON file"),
    ("repro deep.json", "deep.json: not a JSON file"),
    ("repro empty", "empty: Is a directory"),
    ("check nowhere", "'nowhere': no such file"),
    ("new torn.json", "torn.json: already exists"),
    ("completion klingon", "invalid choice: 'klingon'"),
    ("bench everything", "invalid choice: 'everything'"),
]


@pytest.fixture
def _messy_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    routes = [dict(route) for route in SMALL["routes"]]
    routes[3]["length"] = 99
    (tmp_path / "wrong.json").write_text(json.dumps({**SMALL, "routes": routes}))
    (tmp_path / "torn.json").write_text('{"format": ')
    (tmp_path / "fraction.json").write_text(json.dumps({**SMALL, "note": 0.5}))
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_messy_folder")
@pytest.mark.parametrize(("line", "complaint"), MISUSES)
def test_misuse_is_reported_in_one_line(line: str, complaint: str, capsys: Any) -> None:
    assert main(line.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("damrak: ")
    assert printed.err.count("\n") == 1
    assert complaint in printed.err


@pytest.mark.process
def test_a_process_ends_with_the_code_and_the_line() -> None:
    run = damrak("play", "gredy", "random", "--json")
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr == "damrak: bot 'gredy': no such bot; did you mean greedy?\n"


def test_without_arguments_it_prints_its_help(capsys: Any) -> None:
    assert main([]) == 0
    printed = capsys.readouterr().out
    assert "\nexamples:\n  damrak new my_bot\n" in printed
    for command in COMMANDS:
        assert command in printed


def test_version(capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("damrak ")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    usage, _, rest = printed.partition("\n\n")
    assert usage.startswith(f"usage: damrak {command}")
    assert len(rest.partition("\n\n")[0].split()) >= 15
    assert "\nexamples:\n  " in printed
    assert max(map(len, printed.splitlines())) <= 100


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_of_the_help_are_well_formed(command: str, capsys: Any) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    examples = capsys.readouterr().out.partition("examples:\n")[2].splitlines()
    parser = build_parser()
    ours = [line.strip() for line in examples if line.strip().startswith("damrak ")]
    assert ours or command == "completion"
    for example in ours:
        command_line = example.partition(" > ")[0].partition(" | ")[0]
        parser.parse_args(shlex.split(command_line)[1:])
