"""Hostile uploaded bots at the table: a real referee, real sandboxes, and a house bot as opponent.

Each match ends with a fault of the hostile bot; the house bot wins, and the referee continues.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from chaos.victims import command_line
from damrak_engine.clock import TimeControl
from damrak_proto.v1 import control_pb2 as pb
from damrak_referee.runner.relay import BURST, RATE
from damrak_referee.server.seat_service import CONNECTIONS
from damrak_wire.orders import Archive, House, Open
from damrak_wire.reports import MatchReport, SeatReport
from processes import descendants
from referee_process import RefereeProcess, block, ending, short_folder
from sandboxes import archive_of, need_isolation, program
from sitter import Sitter

pytestmark = pytest.mark.process

STEADY = TimeControl(decision_ms=600_000, bank_ms=600_000, grace_ms=600_000)
QUICK = replace(STEADY, decision_ms=10_000)  # for bots that hang
STRICT = replace(STEADY, grace_ms=1_000)  # for bots that run, but do not stay at the table
START_LIMIT_MS = 20_000  # for bots that do not connect: the house bot must

PRELUDE = """
import os, queue, sys, threading, time
import grpc
from damrak_wire.table import *
PLAY = "/damrak.v1.Table/Play"
channel = grpc.insecure_channel("unix:/run/referee.sock")
def connect():
    unsaid = queue.SimpleQueue()
    return unsaid.put, channel.stream_stream(PLAY)(iter(unsaid.get, None))
def sit():
    say, heard = connect()
    say(join("hostile/1"))
    welcome = parse_response(next(heard), None)
    say(ready("hostile"))
    return say, heard, welcome
def questions(heard, rules):
    for data in heard:
        said = parse_response(data, rules)
        if isinstance(said, Asked): yield said
        elif isinstance(said, Ended): return
"""


@pytest.fixture(scope="module")
def referee() -> Iterator[RefereeProcess]:
    """Yield a referee that accepts uploads."""
    with short_folder() as folder, RefereeProcess(folder) as process:
        status = process.status()
        need_isolation(status)
        yield process


def reports(
    referee: RefereeProcess,
    *archives: bytes,
    control: TimeControl = STEADY,
    start_limit_ms: int = 600_000,
) -> MatchReport:
    """Return the report of a match of these archives; a single one plays against a house bot."""
    places: list[Archive | House] = []
    for archive in archives:
        sha256 = hashlib.sha256(archive).hexdigest()
        referee.control.Upload(iter([pb.UploadRequest(sha256=sha256, data=archive)]))
        places.append(Archive(sha256))
    places += [House("greedy")] * (2 - len(places))
    name = "-".join(place.sha256[:12] for place in places if isinstance(place, Archive))
    order = block(places, name=name, control=control, start_limit_ms=start_limit_ms)
    news = referee.play(order)
    assert ending(news).outcome == "finished", news
    (report,) = [item for item in news if isinstance(item, MatchReport)]
    return report


def fault_of(referee: RefereeProcess, code: str, **how: Any) -> SeatReport:
    """Return the fault of this program; its opponent has none."""
    hostile, innocent = reports(referee, program(PRELUDE + code), **how).seats
    assert innocent.fault is None
    assert hostile.fault is not None, hostile.output
    assert hostile.fault.owner == "bot", hostile
    return hostile


def bot(body: str) -> bytes:
    """Return an archive with an SDK bot that runs this code, then plays a legal action."""
    return archive_of(
        {
            "bot.py": "import os, sys, time\nfrom damrak import Bot\n"
            "class Mine(Bot):\n"
            "    def first(self, view): return view.legal[0]\n" + body
        }
    )


SHORT = replace(STEADY, decision_ms=4_000)
HANGS = {
    "python": ("        while True: pass\n", "while True: pass"),
    "native": ("        return sum(range(10**15))\n", "return sum(range(10**15))"),
    "thread": (
        "        import threading\n"
        "        worker = threading.Thread(target=self.work, daemon=True)\n"
        "        worker.start(); worker.join()\n"
        "    def work(self):\n        while True: time.sleep(0.001)\n",
        "worker.start(); worker.join()",
    ),
    "printing": ("        while True:\n            print('x'); time.sleep(0.001)\n", "in choose"),
}


@pytest.mark.parametrize("kind", HANGS)
def test_timeout_has_the_stack_of_the_bot(referee: RefereeProcess, kind: str) -> None:
    body, line = HANGS[kind]
    code = "    def choose(self, view):\n        print('hm', end='', flush=True)\n" + body
    hung, unharmed = reports(referee, bot(code), control=SHORT).seats
    assert unharmed.fault is None
    assert hung.fault is not None
    assert hung.fault.reason == "timeout"
    stack = hung.fault.traceback
    title, first, *_ = stack.splitlines()
    assert title == "Stack (most recent call last):"
    assert 'bot.py", line ' in first
    assert first.endswith(", in choose")
    assert line in stack
    assert "damrak/" not in stack
    assert "grpc" not in stack
    assert ("in work" in stack) == (kind == "thread")
    assert "most recent call first" not in hung.output
    assert hung.output.startswith("hm")


def test_dump_of_a_bots_own_making_stays_a_text(referee: RefereeProcess) -> None:
    code = (
        "    def choose(self, view):\n"
        "        while True:\n"
        "            os.write(2, b'Current thread 0x0 (most recent call first):\\n'\n"
        "                b'  File \"/bot/../../../etc/passwd\", line 1 in \\x1b[2J\\n')\n"
    )
    hung, _ = reports(referee, bot(code), control=SHORT).seats
    assert hung.fault is not None
    assert "root:" not in hung.fault.traceback
    assert "\x1b" not in hung.fault.traceback
    assert len(hung.fault.traceback) <= 16_000


def test_an_ordinary_bot_plays(referee: RefereeProcess) -> None:
    code = "    def choose(self, view):\n        print('hm')\n        return self.first(view)\n"
    ordinary, house = reports(referee, bot(code)).seats
    assert ordinary.fault is None
    assert house.fault is None
    assert ordinary.output.startswith("hm\nhm\n")
    assert ordinary.ready_us > 0
    if referee.status().isolation == "full":
        assert ordinary.cpu_us > 0
        assert ordinary.memory_bytes > 1 << 20


def test_a_flood_of_messages(referee: RefereeProcess) -> None:
    report = fault_of(
        referee,
        """
say, heard, welcome = sit()
for number in range(1_000_000):
    say(decided(number, 0))
    if number % 1000 == 0: time.sleep(0.01)
time.sleep(3600)
""",
    )
    assert report.fault is not None
    assert report.fault.reason == "protocol"


FRAMES = {  # without a limit in gRPC
    "priority": bytes([0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 15]),
    "unknown": bytes([0, 0, 0, 0xBB, 0, 0, 0, 0, 0]),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_a_flood_of_frames_waits_without_harm(referee: RefereeProcess, kind: str) -> None:
    archive = program(
        PRELUDE
        + f"""
import socket
say, heard, welcome = sit()
line = socket.socket(socket.AF_UNIX)
line.connect("/run/referee.sock")
line.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
sent, began = 0, time.monotonic()
while time.monotonic() < began + 1:
    sent += line.send({FRAMES[kind]!r} * 4000)
print(sent, time.monotonic() - began, flush=True)
for asked in questions(heard, welcome.rules):
    say(decided(asked.decision, asked.legal[0]))
"""
    )
    flooding, innocent = reports(referee, archive).seats
    assert (flooding.fault, innocent.fault) == (None, None)
    sent, seconds = map(float, flooding.output.split())
    on_its_way = 1 << 20  # buffered by the sockets of both sides
    assert sent < BURST + RATE * seconds + on_its_way


def test_a_flood_of_rubbish(referee: RefereeProcess) -> None:
    report = fault_of(
        referee,
        """
say, heard, welcome = sit()
for number in range(100): say(os.urandom(50))
time.sleep(3600)
""",
    )
    assert report.fault is not None
    assert report.fault.reason == "protocol"


@pytest.mark.parametrize("size", [70_000, 3_000_000, 30_000_000])
def test_giant_messages(referee: RefereeProcess, size: int) -> None:
    report = fault_of(
        referee,
        f"""
say, heard, welcome = sit()
say(b"\\x1a" + bytes({size}))
try:
    for _ in heard: pass
except grpc.RpcError as problem:
    print(problem.code())
time.sleep(3600)
""",
        control=STRICT,
    )
    assert report.fault is not None
    assert report.fault.reason in ("protocol", "disconnect", "crash")


def test_disconnecting_and_staying_away(referee: RefereeProcess) -> None:
    code = "say, heard, welcome = sit()\nchannel.close()\ntime.sleep(3600)\n"
    report = fault_of(referee, code, control=STRICT, start_limit_ms=START_LIMIT_MS)
    assert report.fault is not None
    assert report.fault.reason != "memory"


def test_connecting_twice(referee: RefereeProcess) -> None:
    archive = program(
        PRELUDE
        + """
say, heard, welcome = sit()
say2, heard2 = connect()
say2(join("hostile/2"))
try:
    print("BREACH", next(heard2))
except grpc.RpcError as problem:
    print(problem.code())
for asked in questions(heard, welcome.rules):
    say(decided(asked.decision, asked.legal[0]))
"""
    )
    twice, innocent = reports(referee, archive).seats
    assert innocent.fault is None
    assert twice.fault is None
    assert "ALREADY_EXISTS" in twice.output
    assert "BREACH" not in twice.output


def test_a_flood_of_connections(referee: RefereeProcess) -> None:
    report = fault_of(
        referee,
        """
import socket
lines, let_in = [], 0
for _ in range(100):
    line = socket.socket(socket.AF_UNIX)
    line.connect("/run/referee.sock")
    try:
        line.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n")
        line.sendall(bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
        let_in += bool(line.recv(9))
    except OSError:
        pass
    lines.append(line)
print("let in", let_in, flush=True)
os._exit(1)
""",
    )
    assert 1 <= int(report.output.split()[-1]) <= CONNECTIONS


@pytest.mark.parametrize("method", ["damrak.v1.Table/Play", "no.such.Service/Method"])
def test_a_flood_of_calls_ends_with_its_bot(referee: RefereeProcess, method: str) -> None:
    report = fault_of(
        referee,
        f"""
call = channel.stream_stream("/{method}")
while True:
    try:
        for _ in call(iter([b"rubbish"])): pass
    except grpc.RpcError as problem:
        pass
""",
    )
    assert report.fault is not None
    assert (report.fault.reason, report.fault.detail) == ("protocol", "called more than 100 times")


def test_a_bot_that_failed_is_gone_while_the_others_play_on(referee: RefereeProcess) -> None:
    code = "say, heard, welcome = sit()\nfor _ in range(99): say(b'rubbish')\nwhile True: pass\n"
    archive = program(PRELUDE + code)
    sha256 = hashlib.sha256(archive).hexdigest()
    referee.control.Upload(iter([pb.UploadRequest(sha256=sha256, data=archive)]))
    order = block((Archive(sha256), Open(), House("greedy")), name="leaves")
    [ticket] = referee.start(order).tickets
    news = referee.follow(order)
    with grpc.insecure_channel(referee.listen) as channel:
        slow = Sitter(channel, ticket.ticket)
        slow.play(1)
        while any("bwrap" in command_line(process) for process in descendants(referee.process.pid)):
            time.sleep(0.02)
        slow.hang_up()
        assert slow.welcome is not None
        assert Sitter(channel, slow.welcome.rejoin_ticket).play()
    [report] = [item for item in news if isinstance(item, MatchReport)]
    fault, *others = [seat.fault for seat in report.seats]
    assert fault is not None
    assert (fault.reason, others) == ("protocol", [None, None])


def test_descriptors_that_are_handed_over_are_not_taken(referee: RefereeProcess) -> None:
    open_files = Path(f"/proc/{referee.process.pid}/fd")
    test_an_ordinary_bot_plays(referee)  # afterwards all permanent connections exist
    before = len(list(open_files.iterdir()))
    report = fault_of(
        referee,
        """
import socket
line = socket.socket(socket.AF_UNIX)
line.connect("/run/referee.sock")
line.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n")
for _ in range(10):
    socket.send_fds(line, [bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])], [0] * 10)
    line.recv(9)
print("handed over", flush=True)
os._exit(1)
""",
    )
    assert report.output == "handed over\n"
    assert len(list(open_files.iterdir())) < before + 100


def test_playing_for_the_other_seat(referee: RefereeProcess) -> None:
    archive = program(
        PRELUDE
        + """
say, heard, welcome = sit()
for asked in questions(heard, welcome.rules):
    for other in (asked.decision + 1, asked.decision - 1, 10**12):
        if other >= 0: say(decided(other, asked.legal[0]))
    say(decided(asked.decision, asked.legal[0]))
"""
    )
    meddler, innocent = reports(referee, archive).seats
    assert innocent.fault is None
    assert innocent.rejections == ()
    assert meddler.fault is None or meddler.fault.owner == "bot"


def test_never_connecting(referee: RefereeProcess) -> None:
    archive = program("import time; time.sleep(3600)")
    places = (Archive(hashlib.sha256(archive).hexdigest()), House("greedy"))
    referee.control.Upload(iter([pb.UploadRequest(sha256=places[0].sha256, data=archive)]))
    news = referee.play(block(places, name="never", start_limit_ms=START_LIMIT_MS))
    (report,) = [item for item in news if isinstance(item, MatchReport)]
    assert report.seats[0].fault is not None
    assert (report.seats[0].fault.reason, report.seats[0].fault.owner) == ("timeout", "bot")
    assert report.seats[1].fault is None


def test_exiting_half_way(referee: RefereeProcess) -> None:
    report = fault_of(
        referee,
        """
say, heard, welcome = sit()
for number, asked in enumerate(questions(heard, welcome.rules)):
    if number == 3: os._exit(0)
    say(decided(asked.decision, asked.legal[0]))
""",
    )
    assert report.fault is not None
    assert report.fault.reason in ("crash", "disconnect")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("        raise ValueError('on purpose')\n", "crash"),
        ("        os._exit(5)\n", "crash"),
        ("        import ctypes; ctypes.string_at(0)\n", "crash"),
        ("        sys.exit('enough')\n", "crash"),
        ("        x = [bytearray(1 << 24) for _ in range(1000)]\n", "memory"),
        ("        time.sleep(3600)\n", "timeout"),
        ("        while True: pass\n", "timeout"),
        ("        while True: os.write(1, b'x' * 65536)\n", ""),
        ("        os.close(7); os.closerange(3, 200); return self.first(view)\n", ""),
        ("        sys.modules.clear(); del sys.stdout; return self.first(view)\n", ""),
    ],
)
def test_crashing_the_sdk_on_purpose(referee: RefereeProcess, body: str, reason: str) -> None:
    control = {"timeout": QUICK, "": STRICT}.get(reason, STEADY)
    archive = bot(f"    def choose(self, view):\n{body}")
    hostile, innocent = reports(referee, archive, control=control).seats
    assert innocent.fault is None
    if hostile.fault is not None:
        assert hostile.fault.owner == "bot", hostile
        assert reason in ("", hostile.fault.reason)
    else:
        assert reason == ""


def test_two_hostile_bots_at_one_table(referee: RefereeProcess) -> None:
    raising = bot("    def choose(self, view):\n        raise SystemExit\n")
    leaving = bot("    def choose(self, view):\n        os._exit(1)\n")
    seats = reports(referee, raising, leaving).seats
    assert any(seat.fault is not None for seat in seats)
    assert all(seat.fault is None or seat.fault.owner == "bot" for seat in seats)


def test_afterwards_the_referee_is_healthy(referee: RefereeProcess) -> None:
    test_an_ordinary_bot_plays(referee)
    status = referee.status()
    assert status.running == 0
