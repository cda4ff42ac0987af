"""A bot on a remote connection plays exactly as it would locally."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from damrak.hosting import hosted
from damrak.hosting.hosted import HostedBot
from damrak.hosting.limits import MIB, Limits
from damrak.hosting.shared import new_launcher
from damrak.local import GamePlan, play_game
from damrak.remote.address import parse_address
from damrak.remote.channels import Security
from damrak.remote.connection import Line
from damrak.remote.local_bot import PresentBot
from damrak.remote.reconnection import KeptLine
from damrak.remote.session import SeatRecord, Session
from damrak.specs import parse_spec
from damrak_engine.clock import TimeLeft
from damrak_engine.effects import Rejected
from damrak_engine.events import Event
from damrak_wire import table as wire
from sdk.hostile import BOTS
from sdk.tables import PATIENT, RULES, SEED, Cut, TestTable

PLAIN = Security(is_encrypted=False)
LIMITS = Limits(memory_bytes=400 * MIB, start_seconds=60.0, finish_seconds=60.0)


@pytest.fixture
def table() -> Iterator[TestTable]:
    made = TestTable()
    yield made
    made.close()


def spec_of(bot: str) -> Any:
    return parse_spec(str(BOTS / bot) if "." in bot else bot)


def sit(table: TestTable, seat: int, bot: str, is_kept: bool = False) -> SeatRecord:
    """Play a seat with a bot in this process."""
    kind = KeptLine if is_kept else Line
    line = kind(parse_address(table.address), PLAIN, "test", table.ticket(seat))
    return Session(line, spec_of(bot), PresentBot).play()


def sit_in_child(table: TestTable, seat: int, bot: str, output: list[str]) -> SeatRecord:
    """Play a seat with a bot in a child process."""
    launcher = new_launcher()
    made: list[Any] = []

    class Listened(HostedBot):
        def close(self) -> None:
            super().close()
            output.append(self.output)

    def make(plan: Any, rules: Any) -> HostedBot:
        made.append(Listened(launcher, plan, rules, LIMITS))
        return made[0]

    line = KeptLine(
        parse_address(table.address),
        PLAIN,
        "test",
        table.ticket(seat),
        on_over=lambda: made and made[0]._child.kill(),
    )
    try:
        return Session(line, spec_of(bot), make).play()
    finally:
        launcher.close()


def play(table: TestTable, *bots: str, is_kept: bool = False) -> list[SeatRecord]:
    with ThreadPoolExecutor(len(bots)) as pool:
        seats = [pool.submit(sit, table, seat, bot, is_kept) for seat, bot in enumerate(bots)]
        return [seat.result(120) for seat in seats]


def at_home(*bots: str) -> Any:
    specs = tuple(spec_of(bot) for bot in bots)
    return play_game(GamePlan(RULES.board, specs, SEED, control=PATIENT))


def story(events: Any) -> list[Event]:
    """Return the events without their times."""
    return [replace(event, ms=0) if hasattr(event, "ms") else event for event in events]


@pytest.mark.parametrize("is_kept", [False, True])
def test_remote_game_is_the_local_game(table: TestTable, is_kept: bool) -> None:
    records = play(table, "greedy", "planner", is_kept=is_kept)
    local = at_home("greedy", "planner")
    assert story(table.match.log) == story(local.replay.events)
    assert [record.result for record in records] == [local.result] * 2
    assert [record.name for record in records] == ["greedy", "planner"]


@pytest.mark.process
def test_bot_in_a_child_plays_the_same_game(table: TestTable) -> None:
    output: list[str] = []
    with ThreadPoolExecutor(2) as pool:
        honest = pool.submit(sit_in_child, table, 0, "honest.py:Honest", output)
        other = pool.submit(sit, table, 1, "greedy")
        record = honest.result(120)
        other.result(120)
    local = at_home("honest.py:Honest", "greedy")
    assert story(table.match.log) == story(local.replay.events)
    assert record.result == local.result
    assert record.name == "Honest Jan"
    assert f"finished by {local.result.reason}" in output[0]


def test_thinking_time_is_reported(table: TestTable) -> None:
    play(table, "greedy", "random")
    decisions = [said for said in table.heard[0] if isinstance(said, wire.Decided)]
    assert decisions
    assert all(said.think_us > 0 for said in decisions)


# ---- lost connections --------------------------------------------------------------------------


def test_lost_connection_comes_back_and_the_game_is_the_same(table: TestTable) -> None:
    said = 0

    def cut_often(seat: int, data: bytes) -> list[bytes]:
        nonlocal said
        if seat == 0:
            said += 1
            if said % 5 == 0:
                raise Cut
        return [data]

    table.meddle = cut_often
    records = play(table, "greedy", "planner", is_kept=True)
    assert table.joins > 4
    local = at_home("greedy", "planner")
    assert story(table.match.log) == story(local.replay.events)
    assert [record.result for record in records] == [local.result] * 2


def test_every_event_is_seen_once(table: TestTable, tmp_path: Path) -> None:
    path = tmp_path / "diary.py"
    path.write_text(
        "from pathlib import Path\n"
        "from damrak import Bot\n"
        "class Diary(Bot):\n"
        "    def start(self, match):\n"
        "        self.seen = []\n"
        "    def saw(self, event):\n"
        "        self.seen.append(event.kind)\n"
        "    def choose(self, view):\n"
        "        assert self.seen == [event.kind for event in view.events]\n"
        "        return view.legal[0]\n"
        "    def finish(self, result):\n"
        f"        Path({str(tmp_path / 'seen')!r}).write_text(' '.join(self.seen))\n"
    )
    count = 0

    def meddle(seat: int, data: bytes) -> list[bytes]:
        nonlocal count
        if seat == 0:
            count += 1
            if count % 4 == 0:
                raise Cut
        return [data]

    table.meddle = meddle
    play(table, str(path), "greedy", is_kept=True)
    assert (tmp_path / "seen").read_text().split() == [event.kind for event in table.match.log]


def test_question_asked_twice_is_answered_twice_alike(table: TestTable) -> None:
    def twice(seat: int, data: bytes) -> list[bytes]:
        is_question = isinstance(wire.parse_response(data, RULES), wire.Asked)
        return [data, data] if seat == 0 and is_question else [data]

    table.meddle = twice
    play(table, "random", "greedy")
    said = [it for it in table.heard[0] if isinstance(it, wire.Decided)]
    answers: dict[int, set[int]] = {}
    for answer in said:
        answers.setdefault(answer.decision, set()).add(answer.action)
    assert len(said) > len(answers)
    assert all(len(actions) == 1 for actions in answers.values())


def test_objection_to_what_is_no_longer_asked_is_not_answered(table: TestTable) -> None:
    late = Rejected(0, 999, "too late", TimeLeft(None, 1_000_000), 2)

    def object_twice(seat: int, data: bytes) -> list[bytes]:
        is_question = isinstance(wire.parse_response(data, RULES), wire.Asked)
        return [data, wire.rejection(late)] if seat == 0 and is_question else [data]

    table.meddle = object_twice
    records = play(table, "greedy", "planner")
    answers = [said.decision for said in table.heard[0] if isinstance(said, wire.Decided)]
    assert len(answers) == len(set(answers))
    assert records[0].result == at_home("greedy", "planner").result


def test_connection_that_stays_away_is_given_up() -> None:
    table = TestTable(control=replace(PATIENT, grace_ms=0))
    line = KeptLine(
        parse_address(table.address), PLAIN, "test", table.ticket(0), lambda: None, spare=0.3
    )
    with ThreadPoolExecutor(1) as pool:
        seat = pool.submit(Session(line, spec_of("greedy"), PresentBot).play)
        assert table.wait(lambda: bool(table.names[0]))
        table.close()
        record = seat.result(60)
    assert record.name == "greedy"
    assert record.lost is not None
    assert not record.lost.is_lasting


def test_unkept_line_ends_with_its_connection(table: TestTable) -> None:
    def cut(seat: int, data: bytes) -> list[bytes]:
        raise Cut

    table.meddle = cut
    record = sit(table, 0, "greedy")
    assert str(record.lost) == f"{table.address}: cut"


def test_wrong_ticket_is_reported_in_one_sentence(table: TestTable) -> None:
    line = KeptLine(parse_address(table.address), PLAIN, "test", "no ticket")
    record = Session(line, spec_of("greedy"), PresentBot).play()
    assert str(record.lost) == f"{table.address}: the ticket is not good (any more)"


# ---- faults ------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["Constructor", "Start", "Choose", "Saw"])
@pytest.mark.parametrize("is_kept", [False, True])
def test_exception_is_reported_with_the_bots_own_traceback(
    table: TestTable, place: str, is_kept: bool
) -> None:
    records = play(table, f"raises.py:In{place}", "greedy", is_kept=is_kept)
    failed = [said for said in table.heard[0] if isinstance(said, wire.Failed)]
    assert [(said.reason, said.detail) for said in failed] == [
        ("crash", f"ValueError: here: {place.lower()}")
    ]
    assert 'bots/raises.py"' in failed[0].traceback
    assert "hosting" not in failed[0].traceback
    assert "remote" not in failed[0].traceback
    assert records[0].is_own
    assert records[0].fault is not None
    assert records[0].fault.reason == "crash"
    assert records[1].result is not None


def test_illegal_answers_come_back_with_an_objection(table: TestTable, tmp_path: Path) -> None:
    path = tmp_path / "stubborn.py"
    path.write_text(
        "from damrak import Bot\n"
        "class Stubborn(Bot):\n"
        "    def choose(self, view):\n"
        "        return 10 if view.turns else view.legal[0]\n"
    )
    records = play(table, str(path), "greedy")
    assert records[0].fault is not None
    assert records[0].fault.reason == "illegal"
    assert not records[0].is_own


def test_nonsense_is_a_strike(table: TestTable, tmp_path: Path) -> None:
    path = tmp_path / "confused.py"
    path.write_text(
        "from damrak import Bot\n"
        "class Confused(Bot):\n"
        "    asked = 0\n"
        "    def choose(self, view):\n"
        "        self.asked += 1\n"
        "        return 'what?' if self.asked == 2 else view.legal[0]\n"
    )
    records = play(table, str(path), "greedy")
    nonsense = [said for said in table.heard[0] if isinstance(said, wire.Nonsense)]
    assert len(nonsense) == 1
    assert "nonsense" in nonsense[0].what
    assert records[0].result is not None


def test_out_of_memory_is_reported_as_that(table: TestTable, tmp_path: Path) -> None:
    path = tmp_path / "hungry.py"
    path.write_text(
        "from damrak import Bot\n"
        "class Hungry(Bot):\n"
        "    def choose(self, view):\n"
        "        raise MemoryError('no more')\n"
    )
    play(table, str(path), "greedy")
    failed = [said for said in table.heard[0] if isinstance(said, wire.Failed)]
    assert [said.reason for said in failed] == ["memory"]


def test_exception_after_the_end_changes_nothing(table: TestTable) -> None:
    records = play(table, "raises.py:InFinish", "greedy")
    assert records[0].result == records[1].result
    assert records[0].fault is None
    assert records[0].late_fault is not None
    assert "here: finish" in records[0].late_fault.detail


@pytest.mark.process
@pytest.mark.parametrize("bot", ["exits.py:Abruptly", "exits.py:BySegfault", "raises.py:InChoose"])
def test_child_that_ends_is_a_crash(
    table: TestTable, bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosted, "LAST_WORDS", 60.0)  # its exit is awaited
    with ThreadPoolExecutor(2) as pool:
        bad = pool.submit(sit_in_child, table, 0, bot, [])
        good = pool.submit(sit, table, 1, "greedy")
        record = bad.result(120)
        assert good.result(120).result is not None
    assert record.is_own
    assert record.fault is not None
    assert record.fault.reason == "crash"


@pytest.mark.process
def test_hanging_child_is_stopped_by_the_referees_ruling(table: TestTable) -> None:
    with ThreadPoolExecutor(2) as pool:
        hung = pool.submit(sit_in_child, table, 0, "hangs.py:InChoose", [])
        good = pool.submit(sit, table, 1, "greedy")
        assert table.wait(lambda: table.match.state.turns > 0 and table.match.state.owing() == [0])
        table.fail(0, "timeout", "no answer")
        record = hung.result(60)
        assert good.result(60).result is not None
    assert record.fault is not None
    assert record.fault.reason == "timeout"


@pytest.mark.process
def test_void_match_cuts_a_thinking_child_off(table: TestTable) -> None:
    with ThreadPoolExecutor(2) as pool:
        hung = pool.submit(sit_in_child, table, 0, "hangs.py:InChoose", [])
        good = pool.submit(sit, table, 1, "greedy")
        table.wait(lambda: any(isinstance(it, wire.Decided) for it in table.heard[1]))
        table.void("the host wants its rest")
        for record in (hung.result(60), good.result(60)):
            assert record.voided is not None
            assert record.voided.detail == "the host wants its rest"


def test_events_left_out_are_noticed(table: TestTable) -> None:
    forgotten = []

    def forget(seat: int, data: bytes) -> list[bytes]:
        is_question = isinstance(wire.parse_response(data, RULES), wire.Asked)
        if seat == 0 and is_question and not forgotten:
            forgotten.append(data)
            return []
        return [data]

    table.meddle = forget
    with ThreadPoolExecutor(2) as pool:
        seat = pool.submit(sit, table, 0, "greedy")
        other = pool.submit(sit, table, 1, "greedy")
        table.wait(lambda: bool(forgotten))
        table.repeat(0)
        lost = seat.result(60).lost
        table.void("enough")
        assert other.result(60).voided is not None
    assert lost is not None
    assert "left something out" in str(lost)
