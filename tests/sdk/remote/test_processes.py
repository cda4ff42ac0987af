"""The processes of seats: `damrak.remote.seat` and `damrak.remote.house`."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from damrak.hosting.limits import Limits
from damrak.local import GamePlan, play_game
from damrak.remote.address import parse_address
from damrak.remote.channels import Security
from damrak.remote.connection import Line
from damrak.remote.local_bot import PresentBot
from damrak.remote.session import Session
from damrak.specs import parse_spec
from damrak_wire import table as wire
from sdk.hostile import BOTS, eventually
from sdk.tables import PATIENT, RULES, SEED, TestTable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TestTable]:
    """Yield a table whose seat 0 is alone on a socket, as in a sandbox, and seat 1 on another."""
    made = TestTable(address=f"unix:{tmp_path}/t.sock")
    made.tickets = {"": 0, "other": 1}
    yield made
    made.close()


def environment(table: TestTable) -> dict[str, str]:
    return {**os.environ, "DAMRAK_ADDRESS": table.address, "PYTHONHASHSEED": "0"}


def seat_process(table: TestTable, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "damrak.remote.seat", *arguments],
        env=environment(table),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def opponent(table: TestTable, bot: str = "greedy") -> Any:
    line = Line(parse_address(table.address), Security(False), "test", "other")
    return Session(line, parse_spec(bot), PresentBot).play()


def against_greedy(table: TestTable, *arguments: str) -> tuple[int, str, str]:
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(opponent, table)
        process = seat_process(table, *arguments)
        printed, said = process.communicate(timeout=600)
        other.result(600)
    return process.returncode, printed, said


def story(events: Any) -> list[Any]:
    return [replace(event, ms=0) if hasattr(event, "ms") else event for event in events]


@pytest.mark.process
@pytest.mark.parametrize("bot", ["Honest", "ByHash"])
def test_game_of_a_process_is_the_local_game(table: TestTable, bot: str) -> None:
    code, printed, said = against_greedy(table, str(BOTS / "honest.py"), "--class", bot)
    assert code == 0, said
    specs = (parse_spec(f"{BOTS}/honest.py:{bot}"), parse_spec("greedy"))
    limits = Limits(start_seconds=60.0, finish_seconds=60.0)
    local = play_game(GamePlan(RULES.board, specs, SEED, control=PATIENT, limits=limits))
    assert story(table.match.log) == story(local.replay.events)
    assert printed == local.output[0]


@pytest.mark.process
def test_folder_is_that_of_its_bot(table: TestTable, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "weights.txt").write_text("17")
    (folder / "helper.py").write_text("def weights(): return open('weights.txt').read()\n")
    (folder / "bot.py").write_text(
        "from damrak import Bot\n"
        "from helper import weights\n"
        "class Mine(Bot):\n"
        "    def choose(self, view):\n"
        "        self.note = weights()\n"
        "        return view.legal[0]\n"
    )
    code, _, said = against_greedy(table, str(folder))
    assert code == 0, said
    notes = {it.note for it in table.heard[0] if isinstance(it, wire.Decided)}
    assert notes == {"17"}


@pytest.mark.process
@pytest.mark.parametrize("place", ["Constructor", "Choose"])
def test_failure_is_reported_and_exit_code_1(table: TestTable, place: str) -> None:
    code, _, said = against_greedy(table, str(BOTS / "raises.py"), "--class", f"In{place}")
    assert code == 1
    assert f"here: {place.lower()}" in said
    failed = [it for it in table.heard[0] if isinstance(it, wire.Failed)]
    assert [it.reason for it in failed] == ["crash"]
    assert 'bots/raises.py"' in failed[0].traceback


@pytest.mark.process
def test_failure_to_import_is_reported(table: TestTable) -> None:
    code, _, said = against_greedy(table, str(BOTS / "raises_on_import.py"))
    assert code == 1
    assert "not a good day for importing" in said


@pytest.mark.process
def test_leaving_by_sys_exit_is_reported(table: TestTable) -> None:
    code, _, _ = against_greedy(table, str(BOTS / "exits.py"), "--class", "Politely")
    assert code == 1
    failed = [it for it in table.heard[0] if isinstance(it, wire.Failed)]
    assert failed[0].detail == "the bot called sys.exit(3)"


@pytest.mark.process
def test_leftover_thread_does_not_block(table: TestTable, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "import threading, time\n"
        "from damrak import Bot\n"
        "class Busy(Bot):\n"
        "    def start(self, match):\n"
        "        threading.Thread(target=time.sleep, args=(3600,)).start()\n"
        "    def choose(self, view):\n"
        "        return view.legal[0]\n"
    )
    code, _, said = against_greedy(table, str(tmp_path))
    assert code == 0, said


@pytest.mark.process
def test_bot_may_use_processes_of_its_own(table: TestTable, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "import multiprocessing, os\n"
        "from damrak import Bot\n"
        "class Many(Bot):\n"
        "    def start(self, match):\n"
        "        self.pool = multiprocessing.get_context('fork').Pool(2)\n"
        "    def choose(self, view):\n"
        "        pid = os.fork()\n"
        "        if pid == 0:\n"
        "            os._exit(3)\n"
        "        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3\n"
        "        return min(self.pool.map(abs, view.legal))\n"
        "    def finish(self, result):\n"
        "        self.pool.terminate()\n"
    )
    code, _, said = against_greedy(table, str(tmp_path))
    assert code == 0, said
    assert said == ""


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "address", "complaint"),
    [
        ((), "unix:/nowhere", "usage: "),
        (("nowhere",), "unix:/nowhere", "no such file"),
        ((str(BOTS / "honest.py"),), "", "DAMRAK_ADDRESS is not set"),
        ((str(BOTS / "honest.py"),), "unix:/nowhere", "there is no such socket"),
        ((str(BOTS / "honest.py"),), "nowhere", "write HOST:PORT"),
    ],
)
def test_nothing_to_play_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...], address: str, complaint: str
) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "damrak.remote.seat", *arguments],
        env={**os.environ, "DAMRAK_ADDRESS": address},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 2
    assert run.stderr.startswith("damrak: ")
    assert run.stderr.count("\n") == 1
    assert complaint in run.stderr


# ---- house bots --------------------------------------------------------------------------------


class House:
    """The process of a house bot, and a connection to it."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "damrak.remote.house"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def seat(self, address: str, bot: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"address": address, "bot": bot}).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


@pytest.fixture
def house() -> Iterator[House]:
    made = House()
    with made.process:
        yield made
        made.process.kill()


@pytest.mark.process
def test_house_plays_match_after_match(house: House, tmp_path: Path) -> None:
    local = play_game(
        GamePlan(RULES.board, (parse_spec("planner"), parse_spec("greedy")), SEED, control=PATIENT)
    )
    for number in range(3):
        table = TestTable(address=f"unix:{tmp_path}/{number}.sock")
        table.tickets = {"": 0, "other": 1}
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(opponent, table)
            house.seat(table.address, "planner")
            assert house.answer() == {"done": True}
            other.result(600)
        table.close()
        assert story(table.match.log) == story(local.replay.events)
        assert table.names[0] == ["planner"]


@pytest.mark.process
def test_house_survives_what_it_cannot_play(house: House, table: TestTable) -> None:
    house.seat("unix:/nowhere", "greedy")
    assert house.answer() == {"done": True}
    house.seat(table.address, "nobody")
    assert house.answer() == {"done": True}
    house.seat(table.address, str(BOTS / "honest.py"))
    assert house.answer() == {"done": True}
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(opponent, table)
        house.seat(table.address, "random")
        assert house.answer() == {"done": True}
        assert other.result(600).result is not None


@pytest.mark.process
def test_house_leaves_no_connection_behind(house: House, tmp_path: Path) -> None:
    def sockets() -> int:
        count = 0
        for fd in Path(f"/proc/{house.process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # already closed
                count += "socket" in os.readlink(fd)
        return count

    house.seat("unix:/nowhere", "random")
    house.answer()  # it has started by now
    before = sockets()
    for number in range(3):
        table = TestTable(address=f"unix:{tmp_path}/{number}.sock")
        table.tickets = {"": 0, "other": 1}
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(opponent, table)
            house.seat(table.address, "random")
            house.answer()
            other.result(600)
        table.close()
    assert eventually(lambda: sockets() <= before)


@pytest.mark.process
def test_house_ends_with_its_input_even_in_a_match(house: House, table: TestTable) -> None:
    house.seat(table.address, "random")
    assert table.wait(lambda: bool(table.names[0]))
    assert house.process.stdin is not None
    house.process.stdin.close()
    assert house.process.wait(600) == 0


@pytest.mark.process
def test_interrupt_of_the_terminal_is_not_for_the_house(house: House, table: TestTable) -> None:
    house.seat("unix:/nowhere", "greedy")
    house.answer()  # it has started by now
    house.process.send_signal(signal.SIGINT)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(opponent, table)
        house.seat(table.address, "random")
        assert house.answer() == {"done": True}
        assert other.result(600).result is not None
