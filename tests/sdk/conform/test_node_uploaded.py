"""The bot in Node.js as an upload: packed as in its README, in a sandbox without a network."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from damrak.ladder.archive import pack
from damrak_proto.v1 import control_pb2 as pb
from damrak_wire.orders import Archive, House
from damrak_wire.reports import MatchReport
from referee_process import RefereeProcess, block, ending, short_folder
from sandboxes import need_isolation
from sdk.conform import node

pytestmark = [pytest.mark.process, pytest.mark.node]

ROOT = Path(__file__).parents[3]
PROGRAMS = (node.NODE.parent, Path(sys.executable).parent)
ENVIRONMENT = {**os.environ, "PATH": os.pathsep.join([*map(str, PROGRAMS), os.environ["PATH"]])}
LOCAL = shutil.ignore_patterns("node_modules", "proto")


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """Return a copy outside the checkout, prepared by the commands of its README, word for word."""
    folder = tmp_path / "bot"
    shutil.copytree(node.installed(), folder, ignore=LOCAL)
    for command in recipe():
        if command[0] == "npm":  # its wheel has no program of this name that works in every shell
            command[:1] = [str(node.NODE), str(node.NPM)]
        subprocess.run(command, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)
    return folder


def recipe() -> list[list[str]]:
    """Return the documented commands before `damrak submit`."""
    text = (node.EXAMPLE / "README.md").read_text().partition("## As an upload")[2]
    commands = [shlex.split(line) for line in text.splitlines() if line.startswith("    ")]
    assert commands[-1][:3] == ["damrak", "submit", "."]
    return commands[:-1]


def test_both_pages_document_the_same_recipe() -> None:
    page = (ROOT / "docs" / "bot-authors" / "other-languages.md").read_text()
    page = page.partition("## The Node.js bot as an upload")[2]
    _, block, _ = page.split("```", 2)  # its first line names the language
    documented = [shlex.split(line, comments=True) for line in block.splitlines()[1:]]
    assert documented[: len(recipe())] == recipe()


def test_it_plays_in_sandboxes_against_a_house_bot_and_itself(bot: Path) -> None:
    packed = pack(bot)  # the archive that `damrak submit` would send
    assert packed.holds.summary.startswith("a program in JavaScript, run as node bot.js, ")
    sha256 = hashlib.sha256(packed.data).hexdigest()
    mine = Archive(sha256)
    with short_folder() as folder, RefereeProcess(folder, f"--expose={node.WHEEL}") as referee:
        need_isolation(referee.status())
        referee.control.Upload(iter([pb.UploadRequest(sha256=sha256, data=packed.data)]))
        news = referee.play(block((mine, House("greedy"), mine)))
    assert ending(news).outcome == "finished", news
    (report,) = [said for said in news if isinstance(said, MatchReport)]
    assert [seat.fault for seat in report.seats] == [None] * 3, report.seats[0].output
    for seat in (report.seats[0], report.seats[2]):
        assert seat.name == "Nodewerker"
        assert seat.rejections == ()
        assert seat.output.startswith("place ")
