"""The native core plays exactly by the rules of the engine."""

from __future__ import annotations

import itertools
import re
import sys
from ctypes import CDLL
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from damrak.env.vectorized import native as binding
from damrak.env.vectorized.plan import ALL_SEATS, Autoreset, Plan, Reward
from damrak.env.vectorized.selftest import (
    LockStep,
    compare,
    configurations,
    plans_of,
    run,
)
from damrak_engine.board import Board, parse_board
from damrak_engine.boards import board_names, load_board
from damrak_engine.build import is_native
from damrak_engine.generator import generate
from damrak_engine.options import CHOICES, parse_options
from damrak_engine.rules import rules_for
from positions import scant_board, small_board
from samples import IS_QUICK, samples

# Interpreted, the engine takes several times as long. `make quick` compares fewer steps, too.
STEPS = 100_000 if is_native() and not IS_QUICK else 10_000
ROOT = Path(__file__).resolve().parents[4]

pytestmark = pytest.mark.usefixtures("native")


@pytest.mark.parametrize("index", range(len(configurations())))
def test_core_and_engine_agree(index: int) -> None:
    report = compare(index, STEPS, seed=2026)
    assert report.different == ()
    assert report.steps >= STEPS


def test_configurations_contain_every_pair_of_values() -> None:
    values = {**CHOICES, "turn_limit": ("off", "25")}
    found = {
        (a, b)
        for it in configurations()
        for settings in [[("board", it.board), ("seats", it.seats), *it.options]]
        for a, b in itertools.combinations(settings, 2)
    }
    settings = [("board", board_names()), ("seats", (2, 3, 4)), *values.items()]
    for (name, some), (other, more) in itertools.combinations(settings, 2):
        for one, two in itertools.product(some, more):
            seat_missing = (name, other) == ("seats", "first_player") and two in {
                f"seat {seat}" for seat in range(int(one), 4)
            }
            assert (((name, one), (other, two)) in found) != seat_missing


def largest_board() -> Board:
    """Return a board at the limits of the format: long grey routes, many of everything."""
    locations = [{"id": f"l{i}", "name": f"L{i}", "x": i, "y": i * i % 97} for i in range(200)]
    chance = Random(3)
    routes = []
    for i in range(400):
        a, b = chance.sample(range(200), 2)
        ends = {"from": f"l{a}", "to": f"l{b}"}
        length = chance.choice([1, 2, 3, 12])
        colour = chance.choice(["grey", "pink", "orange"])
        routes.append({"id": i, "length": length, "colour": colour, "goods": i % 2 == 0, **ends})
    contracts = [
        {"id": i, "from": f"l{i}", "to": f"l{199 - i}", "points": 100 - i} for i in range(60)
    ]
    return parse_board(
        {
            **load_board("amsterdam").source,
            "id": "largest",
            "carts_per_player": 200,
            "cards_per_colour": 120,
            "wild_cards": 120,
            "goods_cards": 200,
            "route_points": {"1": 1, "2": 2, "3": 100, "12": 18},
            "locations": locations,
            "routes": routes,
            "contracts": contracts,
        }
    )


BOARDS = {
    "small": small_board(),
    "scant": scant_board(),
    "largest": largest_board(),
    **{f"generated {seed}": parse_board(generate(seed, 18)) for seed in (1, 2)},
}


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("name", BOARDS)
def test_other_boards(name: str, seats: int) -> None:
    board = BOARDS[name]
    if seats > board.players[1]:
        pytest.skip(f"for up to {board.players[1]} players")
    for options in ({}, {"reshuffle": "eager", "pass": "voluntary", "goods_ties": "dense"}):
        for plan in plans_of(rules_for(board, seats, parse_options(options))):
            assert list(LockStep(replace(plan, rows=32), 5).differences(samples(3_000))) == []


@pytest.mark.parametrize("autoreset", [Autoreset.SAME_STEP, Autoreset.NEXT_STEP])
@pytest.mark.parametrize("reward", [Reward.PLACE, Reward.MARGIN])
@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("learner", [ALL_SEATS, 1])
def test_all_ways_to_write_results(
    autoreset: Autoreset, reward: Reward, dtype: type, learner: int
) -> None:
    base = plans_of(rules_for(load_board("practice"), 3))[learner != ALL_SEATS]
    plan = Plan(base.rules, 16, learner, base.control, autoreset, reward, dtype)
    assert list(LockStep(plan, 3).differences(samples(3_000))) == []


@pytest.mark.process
def test_many_cores_compare_at_least_what_was_asked() -> None:
    reports = list(run(20_000, jobs=2, seed=3))
    assert sum(report.steps for report in reports) >= 20_000
    assert [it for report in reports for it in report.different] == []


MISTAKES = {
    "a flush at four wilds": ("FEWEST_TO_FLUSH = 3", "FEWEST_TO_FLUSH = 4"),
    "a last round at three carts": ("FEW_CARTS = 2", "FEW_CARTS = 3"),
    "twins open to all": ("other == seat || !t->twins_open", "other == seat"),
    "contracts never fulfilled": ("g->linked[seat] = linked;", ""),
    "wrong goods bonus": ("return t->bonus[rank];", "return t->bonus[0];"),
    "discards forgotten": ("g->discards += it->cost;", ""),
    "knowledge forgotten": ("g->known[g->actor] += ONE(card);", ""),
    "one draw too many": ("uint64_t unexpected =", "pick(g, RETURNS, 2); uint64_t unexpected ="),
}


@pytest.mark.process
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_the_core_are_found(
    mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = MISTAKES[mistake]
    library = built(tmp_path, right, wrong)
    monkeypatch.setattr("damrak.env.vectorized.native.core", lambda: library)
    plans = plans_of(rules_for(load_board("amsterdam"), 2))
    found = [it for plan in plans for it in LockStep(plan, 3).differences(10_000)]
    assert found
    assert re.match(r"(observations|masks|rewards|draws|engine|core)\b", found[0])


def built(folder: Path, right: str, wrong: str) -> CDLL:
    """Return the core, built with something changed."""
    sys.path.insert(0, str(ROOT))
    import hatch_build

    source = folder / hatch_build.CORE_FOLDER
    source.mkdir(parents=True)
    changed = 0
    for name in ("rules.h", "core.c"):
        text = (ROOT / hatch_build.CORE_FOLDER / name).read_text("utf-8")
        changed += text.count(right)
        (source / name).write_text(text.replace(right, wrong), "utf-8")
    assert changed == 1
    path = hatch_build.build_core(folder, folder / "built", ("-O0",))
    return binding.load(path)
