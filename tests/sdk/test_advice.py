"""Advice of house bots on the last question of a bundle."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from damrak.advice import advice
from damrak.bundle import bundle_from_json
from damrak.errors import BotNotFound
from damrak.local import GamePlan, play_game
from damrak.specs import parse_spec
from damrak_engine.boards import load_board
from damrak_engine.bundle import Failed, Limited, Situation, bundle_json, step_json
from damrak_engine.clock import TimeControl
from damrak_engine.seat_history import history_of

CONTROL = TimeControl(decision_ms=None, bank_ms=3_600_000)


def bundle(seat: int, at: int) -> dict[str, object]:
    """Return a bundle whose last step is this question of a seat."""
    random = parse_spec("random")
    plan = GamePlan(load_board("practice"), (random, random), seed=bytes(32))
    history = history_of(play_game(plan).replay, seat, CONTROL)
    ask = history.asked[at].question
    step = step_json(
        decision=ask.decision,
        events=(),
        observation=ask.observation,
        legal=ask.legal,
        time_left=ask.time_left,
        objection=None,
        answer=None,
    )
    nobody = Failed("planner", "hint", "0", None, False, None, "", "", "", "")
    situation = Situation(history.rules, seat, CONTROL, 1, Limited(None, 1.0, 1.0))
    return bundle_json(nobody, situation, [step])


@pytest.mark.parametrize("bot", ["planner", "mcts:iterations=5", "random"])
def test_advice_is_a_legal_action_and_the_same_each_time(bot: str) -> None:
    for at in (0, 5):
        asked = bundle_from_json(bundle(1, at))
        action = advice(asked, bot)
        assert action in asked.steps[-1].question.legal
        assert advice(asked, bot) == action


def test_only_house_bots_advise() -> None:
    with pytest.raises(BotNotFound):
        advice(bundle_from_json(bundle(0, 1)), "bot.py")


@pytest.mark.process
def test_a_process_answers() -> None:
    asked = bundle(0, 3)
    command = [sys.executable, "-m", "damrak.advice", "planner"]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True)
    assert json.loads(done.stdout) == {"action": advice(bundle_from_json(asked), "planner")}
