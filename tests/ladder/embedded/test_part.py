"""A part of the platform: restarted after a crash, stopped in order, stopped with its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from damrak_ladder.embedded import part as module
from damrak_ladder.embedded.lock import HomeLock, holder
from damrak_ladder.embedded.part import Part, Plan
from damrak_ladder.embedded.places import LONGEST_RUN_FOLDER, Places
from damrak_ladder.embedded.supervisor import Supervisor
from damrak_ladder.usage_errors import Misuse
from ladder.embedded.platforms import PATIENCE, wait_for
from processes import is_alive

STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", flush=True)
time.sleep(600)
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.mark.process
def test_exit_is_reported_with_the_last_output(tmp_path: Path) -> None:
    part = Part(Plan("one", python("import sys; sys.exit('it is too hot')")), tmp_path)
    part.start()
    assert part.process is not None
    part.process.wait()
    assert part.found_dead() == "exit code 1: it is too hot"
    assert part.found_dead() is None


@pytest.mark.process
def test_output_of_an_earlier_start_is_not_reported(tmp_path: Path) -> None:
    speaks, is_silent = "import sys; sys.exit('it is too hot')", "raise SystemExit(3)"
    found = []
    for code in (speaks, is_silent):
        part = Part(Plan("one", python(code)), tmp_path)
        part.start()
        assert part.process is not None
        part.process.wait()
        found.append(part.found_dead())
    assert found == ["exit code 1: it is too hot", "exit code 3"]


@pytest.mark.process
def test_it_backs_off_after_early_crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    part = Part(Plan("one", python("")), tmp_path)
    part.start()
    rests = []
    for _ in range(7):
        assert part.process is not None
        part.process.wait()
        part.found_dead()
        died = clock[0]
        while not part.start_if_due():
            clock[0] += 0.5
        rests.append(clock[0] - died)
    part.process.wait()
    assert rests == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


@pytest.mark.process
def test_long_log_is_put_aside_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST_LOG", 10)
    part = Part(Plan("one", python("print('a' * 20, flush=True); input()")), tmp_path)
    part.start()
    assert part.process is not None
    part.process.wait()  # it does not read its input, and exits with a traceback
    part.cap_log()
    assert part.log is not None
    assert part.log.read_text() == ""
    assert "a" * 20 in part.log.with_suffix(".log.1").read_text()


@pytest.mark.process
def test_stubborn_part_is_killed_when_its_time_is_up(tmp_path: Path) -> None:
    plan = Plan("one", python(STUBBORN), stop=((signal.SIGTERM, 0.2),))
    supervisor = Supervisor([plan], tmp_path, tmp_path, None, lambda line: None)
    with supervisor.listening():
        supervisor.start("one")
        (part,) = supervisor.parts
        assert supervisor.wait(lambda: part.last_line() == "up", PATIENCE)
    assert part.process is not None
    assert part.process.returncode == -signal.SIGKILL


@pytest.mark.process
def test_part_that_crashes_is_restarted(tmp_path: Path) -> None:
    told: list[str] = []
    supervisor = Supervisor([Plan("one", python(STUBBORN))], tmp_path, tmp_path, None, told.append)
    with supervisor.listening():
        supervisor.start("one")
        (part,) = supervisor.parts
        assert supervisor.wait(lambda: part.last_line() == "up", PATIENCE)
        assert part.process is not None
        first = part.process.pid
        os.kill(first, signal.SIGKILL)
        assert supervisor.wait(lambda: part.is_alive and part.process.pid != first, PATIENCE)
        os.kill(part.process.pid, signal.SIGKILL)
    assert told == ["one has ended (killed by SIGKILL: up); starting it again"]


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="others cannot do that")
def test_child_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    code = """
import os, subprocess, sys, time
from damrak_ladder.embedded.part import Part, Plan
part = Part(Plan("one", [sys.executable, "-c", "import time; time.sleep(600)"]), None)
part.start()
print(part.process.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen(python(code), stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
    wait_for(lambda: not is_alive(child))


def test_one_holder_of_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "up.lock"
    assert holder(path) is None
    with HomeLock(path, "http://127.0.0.1:8000"):
        assert holder(path) == f"process {os.getpid()}, http://127.0.0.1:8000"
        with pytest.raises(Misuse, match=f"process {os.getpid()}"), HomeLock(path, "elsewhere"):
            pass
    assert holder(path) is None
    with HomeLock(path, "again"):
        pass


def test_sockets_have_short_paths_however_long_the_folder(tmp_path: Path) -> None:
    home = tmp_path / ("deep" * 20) / ("down" * 20)
    home.mkdir(parents=True)
    places = Places.of(home)
    assert len(str(places.run)) <= LONGEST_RUN_FOLDER
    assert places == Places.of(home)
    places.run.chmod(0o777)
    with pytest.raises(Misuse, match="others than you"):
        Places.of(home)
    places.run.rmdir()
