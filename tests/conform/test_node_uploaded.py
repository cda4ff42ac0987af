"""The bot in Node.js as an upload: packed as its README says, in a sandbox without a network."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from conform import node
from damrak.ladder.packing import pack
from damrak_proto.v1 import control_pb2 as pb
from damrak_wire.orders import Archive, House
from damrak_wire.reports import MatchReport
from referee_process import RefereeProcess, block, ending, short_folder
from sandboxes import need_isolation

PROTOS = Path(__file__).parents[2] / "proto"
LOCAL = shutil.ignore_patterns("node_modules", "proto")


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """The example away from its checkout, with all that it needs beside it."""
    folder = tmp_path / "bot"
    shutil.copytree(node.installed(), folder, ignore=LOCAL)
    # As `npm ci --no-bin-links --omit=dev` puts them there.
    modules = shutil.ignore_patterns(".*")
    shutil.copytree(node.EXAMPLE / "node_modules", folder / "node_modules", ignore=modules)
    subprocess.run([node.NODE, folder / "copy-proto.js", PROTOS], check=True, capture_output=True)
    return folder


def test_it_plays_in_sandboxes_against_a_house_bot_and_itself(bot: Path) -> None:
    packed = pack(bot)  # what `damrak submit` would send
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
