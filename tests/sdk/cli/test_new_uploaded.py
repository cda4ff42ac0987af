"""The ONNX template as an upload: checked, packed, and played in a sandbox."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from cli import damrak
from damrak.ladder.archive import pack
from damrak_proto.v1 import control_pb2 as pb
from damrak_referee.runner.optional import find_runtimes
from damrak_referee.settings.settings import default_runtimes
from damrak_wire.orders import Archive, House
from damrak_wire.reports import MatchReport
from referee_process import RefereeProcess, block, ending, short_folder
from sandboxes import need_isolation

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="sandboxes need Linux"),
]


def test_torch_template_plays_in_the_sandbox_of_its_runtime(tmp_path: Path) -> None:
    runtimes = Path(os.environ.get("DAMRAK_REFEREE_RUNTIMES") or default_runtimes())
    if "torch" not in find_runtimes(runtimes)[0]:
        pytest.skip("the runtime torch is not installed: damrak-referee runtimes install torch")
    assert damrak("new", "net", "--template", "torch", cwd=tmp_path).returncode == 0
    packed = pack(tmp_path / "net")
    assert packed.holds.runtime == "torch"
    sha256 = hashlib.sha256(packed.data).hexdigest()
    with short_folder() as folder, RefereeProcess(folder, "--runtimes", str(runtimes)) as referee:
        need_isolation(referee.status())
        referee.control.Upload(iter([pb.UploadRequest(sha256=sha256, data=packed.data)]))
        news = referee.play(block((Archive(sha256), House("random"))))
    (report,) = [said for said in news if isinstance(said, MatchReport)]
    assert [seat.fault for seat in report.seats] == [None] * 2, report.seats[0].output


def test_onnx_template_is_checked_and_plays_in_a_sandbox(tmp_path: Path) -> None:
    assert damrak("new", "net", "--template", "onnx", cwd=tmp_path).returncode == 0
    checked = json.loads(damrak("check", "net", "--json", cwd=tmp_path).stdout)
    assert checked["ok"], checked["findings"]
    packed = pack(tmp_path / "net")  # the archive that `damrak submit` would send
    assert "policy.onnx" in packed.names
    sha256 = hashlib.sha256(packed.data).hexdigest()
    with short_folder() as folder, RefereeProcess(folder) as referee:
        need_isolation(referee.status())
        referee.control.Upload(iter([pb.UploadRequest(sha256=sha256, data=packed.data)]))
        news = referee.play(block((Archive(sha256), House("random"))))
    assert ending(news).outcome == "finished", news
    (report,) = [said for said in news if isinstance(said, MatchReport)]
    assert [seat.fault for seat in report.seats] == [None] * 2, report.seats[0].output
    assert report.seats[0].rejections == ()
    assert report.seats[0].memory_bytes < 512 << 20
