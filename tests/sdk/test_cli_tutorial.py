"""The tutorial, followed word for word, works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from damrak.cli import new

TUTORIAL = Path(__file__).parents[2] / "docs" / "bot-authors" / "tutorial.md"
# What stands under `console` makes the clone; everything else happens in it.
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\S+\.py)\n")


def steps() -> list[tuple[str, str]]:
    """The commands, and the files to write, in the order of the document."""
    return BLOCK.findall(TUTORIAL.read_text("utf-8"))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each command printed."""
    folder = tmp_path_factory.mktemp("tutorial")
    programs = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"]}
    printed = {}
    for kind, text in steps():
        if kind == "python":
            named = FILE.match(text)
            assert named is not None
            (folder / named[1]).write_text(text[named.end() :], "utf-8")
            continue
        for line in text.splitlines():
            run = subprocess.run(
                line, shell=True, cwd=folder, env=environment, capture_output=True, text=True
            )
            assert run.returncode == 0, f"{line}\n{run.stdout}\n{run.stderr}"
            printed[line] = run.stdout
    return printed


def test_the_bot_shown_first_is_the_one_that_new_makes() -> None:
    shown = next(text for kind, text in steps() if kind == "python")
    template = Path(new.__file__).parent / "template" / "bot.py"
    assert FILE.sub("", shown, count=1) == template.read_text("utf-8")


def test_the_new_bot_is_about_as_strong_as_told(told: dict[str, str]) -> None:
    table = told["damrak play my_bot random --games 100"]
    found = re.search(r"Elo difference +\+(\d+)", table)
    assert found is not None
    assert 200 < int(found[1]) < 1500  # all hundred games may be won


def test_the_better_bot_passes_its_test_soon(told: dict[str, str]) -> None:
    table = told["damrak play my_bot old.py --sprt 0 50"]
    assert "my_bot has passed" in table
    found = re.search(r"^(\d+) games", table, re.MULTILINE)
    assert found is not None
    assert int(found[1]) <= 100


def test_the_better_bot_is_fit_for_a_match(told: dict[str, str]) -> None:
    assert "my_bot is fit for a match" in told["damrak check my_bot"]


def test_the_replay_is_told(told: dict[str, str]) -> None:
    story = told["damrak show games/000000-0.json"]
    assert "MyBot (seat 0) claims" in story
    assert "the game is over" in story
