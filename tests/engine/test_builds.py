"""The compiled and the interpreted engine play the same games."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from damrak_engine import state

pytestmark = pytest.mark.process

SWITCH = "DAMRAK_INTERPRETED"
TESTS = Path(__file__).resolve().parents[1]

# Every table and a range of options; actions, observations and draws of each game go into one hash.
PLAY = """
import damrak  # before the engine: it may have to be the interpreted one
import hashlib, json, sys
from random import Random
from damrak_engine import determinize, observation, scoring, state
from damrak_engine.events import event_to_json
from strategies import SPREAD, Plan, walk

digest = hashlib.sha256()
for number in range(200):
    plan = Plan(
        board=("amsterdam", "small")[number % 2],
        seats=2 + number % 3,
        options=SPREAD[number // 2 % len(SPREAD)],
        number=number,
        faults=0.01 * (number % 4 == 0),
    )
    log = []
    for position, dice, step in walk(plan, log=log):
        digest.update(repr((step, position.legal_actions())).encode())
        if len(log) % 16 == 0:
            seen = observation.observe(position, position.actor)
            drawn = determinize.determinize(seen, Random(number))
            digest.update(repr((seen.hand, seen.dealt, drawn.hands, drawn.contracts)).encode())
            copy = position.copy()
            state.rollout(copy, Random(number).random)
            digest.update(repr(scoring.totals(copy)).encode())
    result = scoring.result(position, dice)
    digest.update(json.dumps([event_to_json(event) for event in log]).encode())
    digest.update(repr(result).encode())
print(json.dumps({"file": state.__file__, "digest": digest.hexdigest()}))
"""


def played(*, interpreted: bool) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if name != SWITCH}
    environment["PYTHONPATH"] = str(TESTS)
    if interpreted:
        environment[SWITCH] = "1"
    run = subprocess.run(
        [sys.executable, "-c", PLAY],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def test_both_builds_play_the_same_games() -> None:
    folder = Path(state.__file__).parent
    if not [*folder.glob("state.*.so"), *folder.glob("state.*.pyd")]:
        pytest.skip("the engine is not compiled: `make compile` does it, given a C compiler")
    if os.environ.get(SWITCH) == "1":
        pytest.skip("the interpreted engine was asked for, or sources are newer than native code")
    native, source = played(interpreted=False), played(interpreted=True)
    assert not native["file"].endswith(".py")
    assert source["file"].endswith(".py")
    assert native["digest"] == source["digest"]


# A thousand signals arrive whose handler raises, like that of Ctrl-C.
INTERRUPTED = """
import damrak  # before the engine: it may have to be the interpreted one
import signal
from random import Random
from damrak_engine import boards, determinize, observation, rules
from strategies import SPREAD, Plan, walk

class Told(Exception):
    pass

def tell(*_):
    raise Told

def work():
    for _ in range(100):  # longer than it takes, should the exception be lost
        rules.rules_for.cache_clear()
        rules.rules_for(board, 3)
        for one in random.sample(seen, 8):
            determinize.determinize(one, random)

random, board = Random(7), boards.load_board("amsterdam")
seen = [
    observation.observe(position, position.actor)
    for number in range(12)
    for position, _, _ in walk(Plan("small", 2 + number % 3, SPREAD[number % len(SPREAD)], number))
]
signal.signal(signal.SIGALRM, tell)
for _ in range(1000):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0001, 0.0006))  # once
        work()
    except Told:
        pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_exception_of_a_signal_is_not_a_lack_of_memory() -> None:
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
