"""Studying one's own bot in a seat of a finished match: from a file, and from a ladder's page."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli import damrak
from damrak.hosting.faults import BotFault, Chosen
from damrak.local import GamePlan, play_game
from damrak.specs import parse_spec
from damrak.study import Study
from damrak_engine.clock import TimeControl
from damrak_engine.errors import ReplayError
from damrak_engine.replay import Replay, to_bytes
from damrak_engine.seat_history import chance_of, history_of
from sdk.hostile import BOARD, PATIENT, SEED
from sdk.sites import Site, running_site

pytestmark = pytest.mark.process  # bots of files are processes

# Its choices depend on all its news, and on its random numbers.
MINDFUL = """
import hashlib
from damrak import Bot
class Mindful(Bot):
    def start(self, match):
        self.told = [match.seat, match.seats]
    def saw(self, event):
        self.told.append(event)
    def choose(self, view):
        self.told.append((view.turns, view.hand, view.row, view.legal, self.rng.random()))
        digest = hashlib.sha256(repr(self.told).encode()).digest()
        return view.legal[digest[0] % len(view.legal)]
"""
OTHERWISE = MINDFUL.replace("return ", "return view.legal[-1] if view.turns > 6 else ")


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bots")
    (folder / "mindful.py").write_text(MINDFUL)
    (folder / "otherwise.py").write_text(OTHERWISE)
    (folder / "broken.py").write_text(
        MINDFUL.replace("return ", "1 / 0 if view.turns > 6 else 0; return ")
    )
    return folder


@pytest.fixture(scope="module")
def replay(bots: Path) -> Replay:
    mindful = parse_spec(str(bots / "mindful.py"))
    plan = GamePlan(BOARD, (parse_spec("greedy"), mindful, parse_spec("random")), SEED)
    return play_game(plan).replay


@pytest.fixture
def file(replay: Replay, tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    path.write_bytes(to_bytes(replay))
    return path


def test_bot_with_a_memory_repeats_its_choices(replay: Replay, bots: Path) -> None:
    history = history_of(replay, 1, PATIENT)
    study = Study(history, parse_spec(str(bots / "mindful.py")), PATIENT)
    choices = list(study.choices())
    assert len(choices) == len(history.asked) > 10
    assert all(choice.is_same and choice.is_legal for choice in choices)
    assert study.fault is None
    for choice in choices:
        assert getattr(replay.events[choice.event], "seat", None) == 1


def test_after_a_difference_the_recorded_choice_is_followed(replay: Replay, bots: Path) -> None:
    history = history_of(replay, 1, PATIENT)
    choices = list(Study(history, parse_spec(str(bots / "otherwise.py")), PATIENT).choices())
    assert len(choices) == len(history.asked)
    different = [choice for choice in choices if not choice.is_same]
    assert different
    assert all(choice.question.observation.turns > 6 for choice in different)


def test_study_ends_with_a_fault(replay: Replay, bots: Path) -> None:
    history = history_of(replay, 1, PATIENT)
    study = Study(history, parse_spec(str(bots / "broken.py")), PATIENT)
    *before, last = study.choices()
    assert all(isinstance(choice.answer, Chosen) for choice in before)
    assert isinstance(last.answer, BotFault)
    assert study.fault is last.answer
    assert "1 / 0" in study.fault.traceback


def test_history_contains_nothing_hidden_from_the_seat(replay: Replay) -> None:
    history = history_of(replay, 1, PATIENT)
    deal = history.asked[0].news[0]
    hands: Any = deal.hands  # type: ignore[attr-defined]
    assert hands[0] == hands[2] == (None, None)
    assert history.chance == chance_of(replay.seed, 1) != chance_of(replay.seed, 0)
    assert history.last_news  # the end of the match, after its last decision


def test_history_needs_a_seat_and_a_clock_that_fit(replay: Replay) -> None:
    with pytest.raises(ReplayError, match="a seat from 0 to 2"):
        history_of(replay, 3, PATIENT)
    events = list(replay.events)
    number = history_of(replay, 1, PATIENT).asked[5].event
    events[number] = replace(events[number], ms=5_000)  # type: ignore[call-arg]
    slow = replace(replay, events=tuple(events))
    assert history_of(slow, 1, PATIENT).asked[5].event == number
    with pytest.raises(ReplayError, match="once more"):
        history_of(slow, 1, TimeControl(decision_ms=1_000))


def test_diff_of_the_same_version_is_empty(file: Path, bots: Path) -> None:
    run = damrak("repro", file, "--bot", bots / "mindful.py", "--diff")
    assert (run.returncode, run.stderr) == (0, "")
    assert "mindful in place of Mindful (seat 1)" in run.stdout
    assert "decisions are the same" in run.stdout


def test_diff_shows_the_first_decision_that_differs(file: Path, bots: Path) -> None:
    arguments = ("repro", file, "--bot", bots / "otherwise.py", "--seat", "1", "--diff")
    run = damrak(*arguments)
    assert run.returncode == 1
    report = json.loads(damrak(*arguments, "--json").stdout)
    (first,) = report["decisions"]
    assert report["ok"] is True
    assert first["event"] == report["differences"][0]
    assert first["played"]["action"] != first["chosen"]["action"]
    assert first["chosen"]["legal"] is True
    assert first["view"]["turns"] > 6
    assert report["compared"] > len(report["differences"]) > 0
    assert f"event {first['event']}, decision {first['decision']}" in run.stdout
    assert f"played: {first['played']['words']}" in run.stdout
    assert f"otherwise: {first['chosen']['words']}" in run.stdout
    assert run.stdout.count("played: ") == 1


def test_from_shows_a_decision_with_the_view_of_the_seat(file: Path, bots: Path) -> None:
    arguments = ("repro", file, "--bot", bots / "mindful.py", "--seat", "1", "--from", "20")
    run = damrak(*arguments)
    assert (run.returncode, run.stderr) == (0, "")
    (shown,) = json.loads(damrak(*arguments, "--json").stdout)["decisions"]
    assert shown["event"] >= 20
    assert shown["view"]["seat"] == 1
    assert shown["same"] is True
    assert shown["chosen"]["action"] in [one["action"] for one in shown["legal"]]
    assert run.stdout.count("played: ") == 1
    assert "hidden" in run.stdout
    every = damrak(*arguments, "--all").stdout
    assert every.count("played: ") > 3


def test_bot_that_fails_is_shown_with_its_traceback(file: Path, bots: Path) -> None:
    arguments = ("repro", file, "--bot", bots / "broken.py", "--seat", "1")
    for more in (("--diff",), ("--from", "60")):
        run = damrak(*arguments, *more)
        assert run.returncode == 1
        assert "failed: crash: ZeroDivisionError" in run.stdout
        assert "1 / 0" in run.stdout
    report = json.loads(damrak(*arguments, "--diff", "--json").stdout)
    assert report["ok"] is False
    assert report["fault"]["reason"] == "crash"


def test_seat_by_the_name_of_its_bot(file: Path, bots: Path) -> None:
    run = damrak("repro", file, "--bot", "greedy", "--seat", "greedy", "--diff")
    assert run.returncode == 0, run.stderr
    assert "(seat 0)" in run.stdout


def test_debugger_stops_in_the_decision(file: Path, bots: Path) -> None:
    arguments = ("repro", file, "--bot", bots / "mindful.py", "--seat", "1", "--debug")
    run = damrak(*arguments, "--from", "20", input="p 'seat', self.told[0]\nc\n")
    assert "mindful.py" in run.stdout
    assert "('seat', 1)" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "give the bot"),
        (("--bot", "planner"), "--seat: which one? 0: greedy"),
        (("--bot", "greedy", "--seat", "3"), "the seats 0 to 2"),
        (("--bot", "greedy", "--seat", "nobody"), "not the name of exactly one seat"),
        (("--bot", "greedy", "--from", "9999"), "this match has the events 0 to"),
        (("--bot", "greedy", "--from", "1", "--diff"), "cannot be combined with --from"),
    ],
)
def test_misuse_is_reported(arguments: tuple[str, ...], says: str, file: Path) -> None:
    run = damrak("repro", file, *arguments)
    assert run.returncode == 2
    assert says in run.stderr
    assert run.stderr.count("\n") == 1


def test_options_of_matches_are_refused_for_a_bundle(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.json"
    bundle.write_text('{"format": "damrak-repro/1"}')
    run = damrak("repro", bundle, "--diff")
    assert run.returncode == 2
    assert "--diff applies only to matches" in run.stderr


# ---- match pages ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if sys.platform == "win32":
        pytest.skip("the ladder runs on Unix")
    with running_site(tmp_path_factory.mktemp("site")) as made:
        yield made


RECORD = """
import sys
sys.path.insert(0, {tests!r})
from ladder.pipeline.outcome.test_bundles import recorded
from sdk.hostile import play
print(recorded(play("raises.py:InChoose", "greedy")).match_id)
"""


def test_match_page_without_a_login(site: Site, tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    match = site.say(RECORD.format(tests=tests))
    for page in (f"{site.url}/matches/{match}/", f"{site.url}/nl/matches/{match}/#event-4"):
        run = site.damrak(
            *("repro", page, "--bot", "greedy", "--seat", "0", "--diff", "--json"),
            config=tmp_path,
        )
        assert run.returncode == 1, run.stderr
        report = json.loads(run.stdout)
        assert (report["match"], report["seat"]) == (f"match {match}", 0)
        last = report["differences"][-1]
        assert last  # it left the match by a fault, unlike greedy
    gone = site.damrak("repro", f"{site.url}/matches/999999/", "--bot", "greedy", config=tmp_path)
    assert gone.returncode == 2
    assert "999999" in gone.stderr
    wrong = site.damrak("repro", f"{site.url}/bots/", "--bot", "greedy", config=tmp_path)
    assert "not the address of a match" in wrong.stderr
