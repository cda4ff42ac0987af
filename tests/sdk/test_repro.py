"""Repro bundles: a fault is reproduced from the file alone."""

import io
import json
import os
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from damrak.bundle import FORMAT, bundle_from_json, bundle_to_json
from damrak.errors import BotNotFound, BundleError
from damrak.hosting.limits import STANDARD_LIMITS
from damrak.local import GameFault
from damrak.repro import Bundle, read_bundle, rerun, write_bundle
from damrak.specs import parse_spec
from damrak_engine.cards import WORDS
from damrak_engine.clock import TimeControl
from positions import SMALL
from sdk.hostile import BOTS, PATIENT, QUICK, SMALL as LIMITS, play

pytestmark = pytest.mark.process


def _fault(bot: str, *opponents: str, control: TimeControl = PATIENT) -> GameFault:
    record = play(bot, *(opponents or ("random",)), control=control)
    return (record.faults + record.late_faults)[0]


def _from_file(bundle: Bundle, folder: Path) -> Bundle:
    write_bundle(bundle, folder / "fault.json")
    return read_bundle(folder / "fault.json")


@pytest.mark.parametrize(
    "bot",
    [
        "raises_on_import.py",
        "raises.py:InConstructor",
        "raises.py:InStart",
        "raises.py:InChoose",
        "raises.py:InSaw",
        "raises.py:InFinish",
        "nonsense.py:Text",
        "nonsense.py:Illegal",
        "exits.py:Politely",
        "exits.py:WithSuccess",
        "hungry.py:Stack",
    ],
)
def test_fault_is_reproduced_from_the_file(bot: str, tmp_path: Path) -> None:
    fault = _fault(bot)
    bundle = _from_file(fault.bundle, tmp_path)
    again = rerun(bundle)
    assert again.repeats(bundle)
    assert again.changed is None
    assert again.fault is not None
    assert again.fault.detail == fault.detail or fault.reason == "illegal"


def test_slow_bot_is_slow_again(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import time\n"
        "from damrak import Bot\n"
        "class Slow(Bot):\n"
        "    def choose(self, view):\n"
        "        time.sleep(0.6)\n"
        "        return view.legal[0]\n"
    )
    bundle = _from_file(_fault(str(slow), control=QUICK).bundle, tmp_path)
    assert bundle.fault.reason == "timeout"
    assert rerun(bundle).repeats(bundle)


def test_hang_stops_at_the_same_point_and_shows_its_stack(tmp_path: Path) -> None:
    fault = _fault("hangs.py:InChoose", control=QUICK)
    bundle = _from_file(fault.bundle, tmp_path)
    again = rerun(bundle)
    assert again.repeats(bundle)
    assert again.fault is not None
    assert again.fault.detail == fault.detail
    assert again.changed is None
    assert "in think_forever" in again.fault.traceback


@pytest.mark.parametrize("bot", ["Memory", "AtStart"])
def test_limit_of_memory_is_that_of_the_failing_run(bot: str, tmp_path: Path) -> None:
    fault = _fault(f"hungry.py:{bot}")
    assert fault.reason == "memory"
    bundle = _from_file(fault.bundle, tmp_path)
    assert bundle.limits == LIMITS
    assert rerun(bundle).repeats(bundle)


def test_start_has_the_time_of_the_failing_run(tmp_path: Path) -> None:
    record = play("hangs.py:InStart", "random", limits=replace(LIMITS, start_seconds=0.5))
    again = rerun(_from_file(record.faults[0].bundle, tmp_path))
    assert again.fault is not None
    assert again.fault.detail == "the bot was not ready to play after 0.5 s"


def test_bundle_without_limits_has_the_default_ones() -> None:
    data = bundle_to_json(_fault("raises.py:InChoose").bundle)
    del data["limits"], data["bot"]["folder"]
    assert bundle_from_json(data).limits == STANDARD_LIMITS


def test_file_reproduces_everything(tmp_path: Path) -> None:
    bundle = _fault("raises.py:InChoose", "greedy", "random", "honest.py:Honest").bundle
    again = _from_file(bundle, tmp_path)
    assert bundle_to_json(again) == bundle_to_json(bundle)
    assert len(again.steps) > 2
    assert again.plan == bundle.plan
    assert again.fault == bundle.fault


def test_file_is_for_people_too(tmp_path: Path) -> None:
    data = bundle_to_json(_fault("raises.py:InChoose").bundle)
    assert data["format"] == "damrak-repro/1"
    assert data["fault"]["detail"] == "ValueError: here: choose"
    assert data["output"] == "about to raise\n"
    deal = data["steps"][0]["events"][0]
    assert deal["event"] == "deal"
    assert set(deal["row"]) <= set(WORDS)


def test_file_contains_nothing_that_the_seat_did_not_see() -> None:
    data = bundle_to_json(_fault("raises.py:InChoose").bundle)
    assert data["steps"][0]["events"][0]["hands"][1] == [None, None]
    assert "seed" not in json.dumps({**data, "board": None})


def test_fixed_bot_has_no_fault(tmp_path: Path) -> None:
    bot = tmp_path / "mended.py"
    bot.write_text((BOTS / "raises.py").read_text())
    bundle = _fault(f"{bot}:InChoose").bundle
    wrong = 'raise ValueError("here: choose")'
    bot.write_text(bot.read_text().replace(wrong, "return view.legal[0]"))
    assert rerun(bundle).fault is None


def test_change_of_an_earlier_answer_is_reported(tmp_path: Path) -> None:
    bot = tmp_path / "changed.py"
    bot.write_text((BOTS / "raises.py").read_text())
    bundle = _fault(f"{bot}:InChoose").bundle
    bot.write_text(bot.read_text().replace("self.rng.choice(view.legal)", "view.legal[-1]"))
    again = rerun(bundle)
    assert again.changed is not None
    assert again.repeats(bundle)


def test_another_bot_can_replace_it() -> None:
    bundle = _fault("raises.py:InChoose").bundle
    assert rerun(bundle, bot=parse_spec("greedy")).fault is None


def test_this_process_is_unchanged(tmp_path: Path) -> None:
    bundle = _fault("raises.py:InChoose").bundle
    before = (os.getcwd(), sys.path[:], random.getstate(), set(sys.modules))
    rerun(bundle)
    after = (os.getcwd(), sys.path[:], random.getstate(), set(sys.modules))
    assert after[:3] == before[:3]
    assert not {name for name in after[3] - before[3] if name.startswith("damrak_bot")}


def test_debugger_stops_in_the_bot_before_and_after(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = _fault("raises.py:InChoose").bundle
    commands = "p 'turns', view.turns\ncontinue\np 'again', view.turns\nquit\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(commands))
    assert rerun(bundle, debug=True).repeats(bundle)
    printed = capsys.readouterr().out
    assert "raises.py" in printed
    assert "('turns', 4)" in printed or "('turns', 5)" in printed
    assert "('again'" in printed


def test_leaving_the_debugger_ends_the_rerun(monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = _fault("nonsense.py:Text").bundle
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    assert rerun(bundle, debug=True).repeats(bundle)


def test_bot_that_is_gone(tmp_path: Path) -> None:
    bot = tmp_path / "gone.py"
    bot.write_text((BOTS / "raises.py").read_text())
    bundle = _fault(f"{bot}:InChoose").bundle
    bot.unlink()
    with pytest.raises(BotNotFound):
        rerun(bundle)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x00\xff", "not a JSON file"),
        (b"[]", "not a repro bundle"),
        (b'{"format": "damrak-repro/2"}', "not a repro bundle"),
        (b'{"format": "damrak-repro/1"}', "damaged"),
        (
            json.dumps({"format": FORMAT, "board": SMALL, "seats": 2, "options": ""}).encode(),
            "damaged",
        ),
    ],
)
def test_file_that_is_not_a_bundle(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(content)
    with pytest.raises(BundleError, match=says) as caught:
        read_bundle(file)
    assert "\n" not in str(caught.value)


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="No such file"):
        read_bundle(tmp_path / "x.json")
