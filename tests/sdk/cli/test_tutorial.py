"""The tutorial works when it is followed word for word."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from damrak.cli import new

TUTORIAL = Path(__file__).parents[3] / "docs" / "bot-authors" / "tutorial.md"
# Blocks marked `console` create the clone; all others run in it.
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# (\S+\.py)\n")


def steps() -> list[tuple[str, str]]:
    """Return the commands, and the files to write, in the order of the document."""
    return BLOCK.findall(TUTORIAL.read_text("utf-8"))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the output of each command."""
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
    template = Path(new.__file__).parent / "templates" / "basic" / "bot.py"
    assert FILE.sub("", shown, count=1) == template.read_text("utf-8")


@pytest.mark.process
def test_the_new_bot_has_about_the_stated_strength(told: dict[str, str]) -> None:
    table = told["damrak play my_bot random --games 100"]
    found = re.search(r"Elo difference +\+(\d+)", table)
    assert found is not None
    assert 200 < int(found[1]) < 1500  # all hundred games may be won


@pytest.mark.process
def test_the_better_bot_passes_its_test_soon(told: dict[str, str]) -> None:
    table = told["damrak play my_bot old.py --sprt 0 50"]
    assert "my_bot passed the test" in table
    found = re.search(r"^(\d+) games", table, re.MULTILINE)
    assert found is not None
    assert int(found[1]) <= 100


@pytest.mark.process
def test_the_better_bot_is_fit_for_a_match(told: dict[str, str]) -> None:
    assert "my_bot is ready for matches" in told["damrak check my_bot"]


@pytest.mark.process
def test_the_replay_is_shown_in_words(told: dict[str, str]) -> None:
    story = told["damrak show games/000000-0.json"]
    assert "MyBot (seat 0) claims" in story
    assert "the game is over" in story
