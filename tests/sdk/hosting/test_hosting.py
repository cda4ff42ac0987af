"""Hostile bots of every kind lose their own game and do no other harm."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from damrak import View
from damrak.bots import HOUSE_BOTS
from damrak.bots.random_ import RandomBot
from damrak.bundle import bundle_to_json
from damrak.errors import HostError
from damrak.hosting import hosted, link, output, shared, trusted
from damrak.hosting.forked import ForkLauncher
from damrak.hosting.limits import MIB, Limits
from damrak.local import GameFault
from damrak_engine.clock import TimeControl
from damrak_engine.replay import to_bytes
from damrak_engine.verify import verify
from sdk.hostile import PATIENT, QUICK, SMALL, eventually, is_alive, pids_in, play

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform == "win32", reason="these bots are POSIX"),
]

HOUR_NS = 3_600_000_000_000


@pytest.fixture(autouse=True)
def _opponents_take_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the clock of the house bot: the short time control is for the bot that hangs."""
    monkeypatch.setattr(trusted, "monotonic_ns", lambda: 0)


def _fault(
    bot: str, opponent: str = "random", limits: Limits = SMALL, control: TimeControl = PATIENT
) -> GameFault:
    """Return the one fault of a game, which is this bot's; the next game is played normally."""
    record = play(bot, opponent, limits=limits, control=control)
    assert [fault.seat for fault in record.faults] == [0]
    assert record.result.seats[0].fault == record.faults[0].reason
    assert record.result.seats[1].place == 1
    assert record.result.reason == "forfeit"
    assert play("honest.py:Honest", "random").faults == ()
    return record.faults[0]


# ---- exceptions --------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["Constructor", "Start", "Choose", "Saw"])
def test_exception_is_a_crash_with_the_traceback_of_the_bot(place: str) -> None:
    fault = _fault(f"raises.py:In{place}")
    assert fault.reason == "crash"
    assert fault.detail == f"ValueError: here: {place.lower()}"
    assert 'bots/raises.py"' in fault.traceback
    assert "hosting" not in fault.traceback


def test_exception_on_import_is_a_crash() -> None:
    fault = _fault("raises_on_import.py")
    assert fault.reason == "crash"
    assert fault.detail == "LookupError: not a good day for importing"


def test_output_before_an_exception_is_kept() -> None:
    assert "about to raise\n" in _fault("raises.py:InChoose").output


def test_file_without_a_bot_is_a_crash_with_that_reason() -> None:
    fault = _fault("raises.py")
    assert fault.reason == "crash"
    assert "several bots" in fault.detail


@pytest.mark.parametrize("bot", ["InFinish", "InSawAtTheEnd"])
def test_exception_after_the_end_changes_nothing(bot: str) -> None:
    record = play(f"raises.py:{bot}", "greedy")
    assert record.faults == ()
    assert record.result.reason == "carts"
    assert [fault.reason for fault in record.late_faults] == ["crash"]
    assert "here: " in record.late_faults[0].detail


def test_exception_without_a_text_is_a_crash() -> None:
    assert _fault("raises.py:Oddly").detail == "OddException: (its text could not be had)"


def test_text_that_no_file_takes_is_made_one_that_it_does() -> None:
    fault = _fault("raises.py:HalfACharacter")
    assert fault.detail.startswith("ValueError: half: \N{REPLACEMENT CHARACTER}, and long: xxx")
    assert len(fault.detail) <= 200


# ---- time --------------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", ["InChoose", "DeafToSignals", "Stopped"])
def test_hang_is_a_timeout_by_the_arbiters_clock(bot: str) -> None:
    fault = _fault(f"hangs.py:{bot}", control=QUICK)
    assert fault.reason == "timeout"
    assert "500 ms" in fault.detail


@pytest.fixture
def _time_to_say_where(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the stack of a bot that hangs, however slow the machine is."""
    monkeypatch.setattr(hosted, "WHERE", 60.0)


@pytest.fixture
def _time_to_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stop the clock, and advance it by an hour when a bot has recorded that it hangs."""
    hung = tmp_path / "hung"
    monkeypatch.setenv("HUNG", str(hung))
    shared.discard_launcher()
    for module in (hosted, link):
        monkeypatch.setattr(module, "monotonic_ns", lambda: HOUR_NS * hung.exists())
    yield
    shared.discard_launcher()


@pytest.mark.usefixtures("_time_to_hang", "_time_to_say_where")
def test_author_sees_where_it_hung() -> None:
    fault = _fault("hangs.py:InChoose", control=QUICK)
    title, first, source, *rest = fault.traceback.splitlines()
    assert title == "Stack (most recent call last):"
    assert first.endswith('bots/hangs.py", line 32, in choose')
    assert source == "    self.think_forever()"
    assert rest[-2].endswith("in think_forever")
    assert "most recent call" not in fault.output
    assert bundle_to_json(fault.bundle)["fault"]["traceback"] == fault.traceback


@pytest.mark.usefixtures("_time_to_hang", "_time_to_say_where")
def test_stack_of_a_hang_in_native_code() -> None:
    fault = _fault("hangs.py:InNativeCode", control=QUICK)
    assert fault.traceback.splitlines()[1].endswith("in choose")
    assert "sum(range(10**15))" in fault.traceback


@pytest.mark.usefixtures("_time_to_hang", "_time_to_say_where")
def test_stack_of_a_hang_in_a_thread_begins_with_the_one_that_plays() -> None:
    stack = _fault("hangs.py:InThread", control=QUICK).traceback
    playing, _, other = stack.partition("Another thread (most recent call last):\n")
    assert playing.splitlines()[1].endswith("in choose")
    assert other.splitlines()[0].endswith("in work_forever")


@pytest.mark.usefixtures("_time_to_hang", "_time_to_say_where")
def test_hang_at_the_start_is_a_timeout() -> None:
    fault = _fault("hangs.py:InStart", limits=replace(SMALL, start_seconds=1.0))
    assert fault.reason == "timeout"
    assert fault.detail == "the bot was not ready to play after 1 s"
    assert "in start" in fault.traceback


def test_hang_in_finish_changes_nothing() -> None:
    record = play("hangs.py:InFinish", "greedy", limits=replace(SMALL, finish_seconds=0.3))
    assert record.faults == ()
    assert [fault.reason for fault in record.late_faults] == ["timeout"]


def test_bank_runs_out_too() -> None:
    control = TimeControl(decision_ms=None, bank_ms=300, increment_ms=0)
    record = play("hangs.py:InChoose", "random", control=control)
    assert record.faults[0].detail == "the bank was used up"
    assert record.seconds[0] >= 0.3


# ---- nonsense ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bot", "says"),
    [
        ("Nothing", "None is no action"),
        ("Fraction", "7.0 is no action"),
        ("Text", "'draw blind' is no action"),
        ("Truth", "True is no action"),
        ("Unhashable", "[7] is no action"),
        ("OffTheBoard", "is no action"),
        ("Illegal", "cannot draw blind"),
    ],
)
def test_third_nonsense_is_a_fault(bot: str, says: str) -> None:
    record = play(f"nonsense.py:{bot}", "random")
    assert [fault.reason for fault in record.faults] == ["illegal"]
    assert says in record.faults[0].detail
    assert [rejection.seat for rejection in record.rejections] == [0, 0]
    assert "rejected" in record.faults[0].output


def test_two_strikes_are_forgiven() -> None:
    record = play("nonsense.py:TwiceIllegal", "greedy")
    assert record.faults == ()
    assert len(record.rejections) == 2


@pytest.mark.parametrize("bot", ["ForeignInteger", "OddNote"])
def test_unambiguous_answers_are_accepted(bot: str) -> None:
    record = play(f"nonsense.py:{bot}", "greedy")
    assert record.faults == ()
    assert record.rejections == ()


# ---- process exits -------------------------------------------------------------------------------


@pytest.fixture
def _time_to_die(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the exit of a process, however slow the machine is."""
    monkeypatch.setattr(hosted, "LAST_WORDS", 60.0)


@pytest.mark.usefixtures("_time_to_die")
@pytest.mark.parametrize(
    ("bot", "detail"),
    [
        ("Politely", "the bot called sys.exit(3)"),
        ("Abruptly", "the bot's process ended with exit status 7"),
        ("WithSuccess", "the bot's process ended with exit status 0"),
        ("BySignal", "the bot's process was killed by SIGKILL"),
        ("BySegfault", "the bot's process was killed by SIGSEGV"),
        ("Interrupted", "KeyboardInterrupt"),
    ],
)
def test_ending_its_process_is_a_crash(bot: str, detail: str) -> None:
    fault = _fault(f"exits.py:{bot}")
    assert fault.reason == "crash"
    assert fault.detail == detail


@pytest.mark.usefixtures("_time_to_die")
def test_output_before_an_exit_is_kept() -> None:
    assert _fault("exits.py:Abruptly").output == "last words\n"


@pytest.mark.usefixtures("_time_to_die")
def test_crash_in_native_code_shows_where() -> None:
    assert "exits.py" in _fault("exits.py:BySegfault").output


# ---- memory ------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux enforces the limit")
@pytest.mark.parametrize("bot", ["Memory", "AtStart", "Crumbs"])
def test_too_much_memory_is_a_fault_of_that_name(bot: str) -> None:
    control = TimeControl(decision_ms=20_000)
    limits = Limits(memory_bytes=160 * MIB)
    record = play(f"hungry.py:{bot}", "random", control=control, limits=limits)
    assert [fault.reason for fault in record.faults] == ["memory"]
    if bot != "Crumbs":  # for which not even a traceback could be kept
        assert "hungry.py" in record.faults[0].traceback


def test_endless_recursion_is_a_crash() -> None:
    assert _fault("hungry.py:Stack").detail.startswith("RecursionError")


# ---- output --------------------------------------------------------------------------------------


def test_only_the_end_of_a_flood_is_kept() -> None:
    record = play("speaks.py:Flood", "random", control=TimeControl(), limits=SMALL)
    assert record.faults == ()
    assert len(record.output[0]) < SMALL.output_bytes + 100
    assert record.output[0].startswith("[")
    assert "line 1999 of turn" in record.output[0]


def test_endless_flood_is_a_timeout() -> None:
    fault = _fault("speaks.py:EndlessFlood", control=QUICK)
    assert fault.reason == "timeout"
    assert len(fault.output) < SMALL.output_bytes + 100


@pytest.mark.parametrize(
    "bot",
    ["Garbage", "HugeLine", "DeepJson", "ExtraAnswers", "WrongType", "HostFault"],
)
def test_writing_to_the_line_is_a_fault_of_the_bot(bot: str) -> None:
    assert _fault(f"speaks.py:{bot}").reason == "protocol"


def test_nothing_a_bot_sends_is_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    shared.discard_launcher()  # the next one has the new environment
    assert _fault("speaks.py:Pickled").reason == "protocol"
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("bot", ["ClosesEverything", "ClosesAndHangs"])
def test_closing_the_line_is_a_fault(bot: str) -> None:
    assert _fault(f"speaks.py:{bot}").reason == "protocol"


def test_closing_the_output_is_allowed() -> None:
    assert play("speaks.py:ClosesOutput", "random").faults == ()


# ---- child processes -----------------------------------------------------------------------------


@pytest.fixture
def pids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the file in which bots record their processes, which are killed after the test."""
    file = tmp_path / "pids"
    monkeypatch.setenv("PIDS", str(file))
    shared.discard_launcher()
    yield file
    for pid in pids_in(file):
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "bot",
    [
        "Children",
        pytest.param(
            "Daemons", marks=pytest.mark.skipif(sys.platform != "linux", reason="no subreapers")
        ),
        "ChildThatAnswers",
    ],
)
def test_nothing_a_bot_started_outlives_the_game(bot: str, pids: Path) -> None:
    record = play(f"breeds.py:{bot}", "random")
    assert pids_in(pids)
    assert eventually(lambda: not any(is_alive(pid) for pid in pids_in(pids)))
    if bot != "ChildThatAnswers":
        assert record.faults == ()


@pytest.mark.skipif(sys.platform != "linux", reason="needs subreapers")
def test_nothing_outlives_a_host_that_is_killed(pids: Path) -> None:
    script = (
        "from sdk.hostile import *\nplay('breeds.py:FamilyThatHangs', 'random', control=PATIENT)\n"
    )
    path = os.pathsep.join(sys.path)
    host = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path})
    try:
        assert eventually(lambda: len(pids_in(pids)) == 2)
        assert all(is_alive(pid) for pid in pids_in(pids))
    finally:
        host.kill()
        host.wait()
    assert eventually(lambda: not any(is_alive(pid) for pid in pids_in(pids)))


def test_server_that_crashes_between_games_is_replaced() -> None:
    before = play("honest.py:Honest", "random")
    _kill_server()
    after = play("honest.py:Honest", "random")
    assert after.replay.events == before.replay.events


def test_game_of_a_crashed_server_is_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Saboteur(RandomBot):
        """Kills the server in the middle of its first game."""

        name = "saboteur"
        games = 0

        def choose(self, view: View) -> int:
            if view.turns > 5 and Saboteur.games == 0:
                Saboteur.games = 1
                _kill_server()
            return super().choose(view)

    monkeypatch.setitem(HOUSE_BOTS, "saboteur", Saboteur)
    record = play("honest.py:Honest", "saboteur")
    assert Saboteur.games == 1
    assert record.faults == ()
    assert record.replay.events == play("honest.py:Honest", "random").replay.events


@pytest.mark.skipif(sys.platform != "linux", reason="needs children that die with their parent")
def test_bot_that_kills_the_server_again_is_named() -> None:
    with pytest.raises(HostError, match=r"is gone; it was the turn of Server$"):
        play("meddles.py:Server", "random")
    assert play("honest.py:Honest", "random").faults == ()


def _kill_server() -> None:
    launcher = shared.launcher()
    assert isinstance(launcher, ForkLauncher)
    launcher._server.kill()
    launcher._server.wait()


# ---- modifications -------------------------------------------------------------------------------


def test_meddling_with_its_own_engine_is_harmless() -> None:
    before = play("random", "greedy").replay.events
    play("meddles.py:Engine", "random")
    assert play("random", "greedy").replay.events == before


@pytest.mark.usefixtures("_time_to_die")
def test_meddling_with_what_speaks_for_it_is_its_own_fault() -> None:
    fault = _fault("meddles.py:Host")
    assert fault.reason == "crash"


@pytest.mark.usefixtures("_time_to_die", "_time_to_hang")
def test_one_hostile_bot_after_the_other_at_one_table() -> None:
    bots = ("raises.py:InChoose", "exits.py:Abruptly", "honest.py:Honest", "hangs.py:Stopped")
    record = play(*bots, control=QUICK)
    assert {fault.seat: fault.reason for fault in record.faults} == {
        0: "crash",
        1: "crash",
        3: "timeout",
    }
    assert record.result.seats[2].place == 1


@pytest.mark.parametrize(
    "bots",
    [
        ("raises.py:InStart", "raises_on_import.py"),
        ("raises.py:InStart", "raises.py:InStart", "raises.py:InConstructor", "hangs.py:Stopped"),
        ("nonsense.py:Text", "nonsense.py:Text", "exits.py:Abruptly"),
        ("hangs.py:Stopped", "hangs.py:Stopped"),
    ],
)
def test_table_of_hostile_bots_has_a_result(bots: tuple[str, ...]) -> None:
    record = play(*bots, control=QUICK)
    assert record.result.reason == "forfeit"
    assert sorted(seat.place for seat in record.result.seats) == [*range(1, len(bots) + 1)]
    verify(to_bytes(record.replay))


# ---- processes without fork ----------------------------------------------------------------------


@pytest.fixture
def _plain(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start child processes as on platforms that cannot fork."""
    from damrak.hosting.interpreters import PlainLauncher

    shared.discard_launcher()
    monkeypatch.setattr(shared, "new_launcher", PlainLauncher)
    yield
    shared.discard_launcher()


@pytest.mark.usefixtures("_plain")
def test_plain_process_plays_the_same_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "MOMENT", 60.0)  # until it has exited, and all output is read
    limits = replace(SMALL, memory_bytes=Limits().memory_bytes)
    plain = play("honest.py:Honest", "honest.py:Honest", limits=limits)
    monkeypatch.undo()
    shared.discard_launcher()
    forked = play("honest.py:Honest", "honest.py:Honest", limits=limits)
    assert plain.replay.hash != ""
    assert plain.replay.events == forked.replay.events
    assert plain.output == forked.output


@pytest.mark.usefixtures("_plain", "_time_to_die")
@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        ("raises.py:InChoose", "crash"),
        ("hangs.py:InChoose", "timeout"),
        ("exits.py:Abruptly", "crash"),
        ("speaks.py:Garbage", "protocol"),
        ("speaks.py:EndlessFlood", "timeout"),
    ],
)
def test_plain_process_survives_hostile_bots(bot: str, reason: str) -> None:
    control = QUICK if reason == "timeout" else PATIENT
    record = play(bot, "random", control=control, limits=replace(SMALL, memory_bytes=None))
    assert [fault.reason for fault in record.faults] == [reason]


# ---- isolation ---------------------------------------------------------------------------------


def test_child_inherits_no_descriptor_but_its_own(tmp_path: Path) -> None:
    bot = tmp_path / "lists.py"
    bot.write_text(
        "import os\n"
        "from damrak import Bot\n"
        "class Lists(Bot):\n"
        "    def choose(self, view):\n"
        "        print(sorted(os.listdir('/dev/fd')))\n"
        "        return view.legal[0]\n"
    )
    with (tmp_path / "secret").open("w") as secret:
        os.set_inheritable(secret.fileno(), True)
        output = play(str(bot), "random").output[0]
    # The last is the listing itself.
    assert output.splitlines()[0] == "['0', '1', '2', '3', '4']"


def test_games_share_nothing(tmp_path: Path) -> None:
    bot = tmp_path / "remembers.py"
    bot.write_text(
        "import damrak\n"
        "class Remembers(damrak.Bot):\n"
        "    def choose(self, view):\n"
        "        damrak.games = getattr(damrak, 'games', 0) + 1\n"
        "        self.note = str(damrak.games)\n"
        "        return view.legal[0]\n"
    )
    first, second = play(str(bot), str(bot)), play(str(bot), str(bot))
    assert first.replay.events == second.replay.events
    assert [e.note for e in first.replay.events if hasattr(e, "note")] == [
        e.note for e in second.replay.events if hasattr(e, "note")
    ]


def test_bot_runs_in_its_folder(tmp_path: Path) -> None:
    bot = tmp_path / "reads.py"
    bot.write_text(
        "from pathlib import Path\n"
        "from damrak import Bot\n"
        "class Reads(Bot):\n"
        "    def start(self, match):\n"
        "        print(Path('weights.txt').read_text())\n"
        "    def choose(self, view):\n"
        "        return view.legal[0]\n"
    )
    (tmp_path / "weights.txt").write_text("1 2 3")
    record = play(str(bot), "random")
    assert record.faults == ()
    assert record.output[0] == "1 2 3\n"
