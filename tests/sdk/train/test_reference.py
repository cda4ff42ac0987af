"""The training of a reference player: looking ahead, the gate, and runs that continue."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cli import damrak
from damrak.env.table import rules_given
from damrak.env.vectorized.backend import games_for
from damrak.env.vectorized.engine import EngineGames
from damrak.env.vectorized.native import NativeGames
from damrak.env.vectorized.plan import AS_SEATED, Autoreset, Plan, Reward, arrays_for
from damrak.train.expert import Effort, Searcher, learn, search_games
from damrak.train.gate import Duel, judge
from damrak.train.imitation import planner_games
from damrak.train.lookahead import Lookahead
from damrak.train.network import Adam, Network
from damrak.train.reference import OtherSettings, Run, Settings, kept_settings, settings_for
from damrak.train.worth import worth
from damrak_engine.deal import new_game
from damrak_engine.determinize import determinize
from damrak_engine.dice import QuickDice
from damrak_engine.observation import observe
from damrak_engine.state import State

SMALL = Settings(hidden=(16,), imitated=1, decisions=1, games=1, blocks=2, abreast=4, measured=2)
RULES = {seats: rules_given("amsterdam", seats, None) for seats in (2, 3)}


def network_for(seats: int, seed: int = 1) -> Network:
    size = {2: 366, 3: 427}[seats]
    return Network.fresh(size, (16, 8), 315, np.random.default_rng(seed))


def late_state(seats: int, seed: int, moves: int) -> State:
    lots = random.Random(seed)
    dice = QuickDice(lots.random)
    state = new_game(RULES[seats], dice)
    for _ in range(moves):
        state.apply(lots.choice(state.legal_actions()), dice)
    return state


def worlds_of(state: State, number: int) -> list[State]:
    lots = random.Random(1)
    return [determinize(observe(state, state.actor), lots) for _ in range(number)]


def test_worth_is_half_the_result_and_half_the_lead() -> None:
    found = worth(np.array([[30, 0], [5, 5]]), np.array([[1, 2], [1, 1]]))
    assert found[0, 0] == pytest.approx(0.5 + 0.5 * np.tanh(1))
    assert found.sum(axis=1) == pytest.approx([0, 0])
    assert found[1].tolist() == [0, 0]


@pytest.mark.parametrize("kind", [NativeGames, EngineGames])
def test_games_set_up_several_times_have_the_same_chance(
    kind: type[NativeGames] | type[EngineGames],
) -> None:
    plan = Plan(
        rules=RULES[2], rows=6, autoreset=Autoreset.NEVER, reward=Reward.CALLER, is_logged=False
    )
    arrays = arrays_for(plan)
    games = kind(plan, arrays)
    games.set_up([late_state(2, 1, 20), late_state(2, 2, 20)], 3)
    assert arrays.observations is not None
    for _ in range(20):
        arrays.select.fill(1)
        games.show(AS_SEATED, arrays.observations, arrays.masks, None)
        triples = arrays.observations.reshape(3, 2, -1)
        assert (triples[0] == triples[1:]).all()
        assert arrays.masks is not None
        arrays.actions[:] = arrays.masks.argmax(axis=1)
        games.play()


@pytest.mark.parametrize("seats", [2, 3])
def test_a_lookahead_to_the_end_finds_the_worth_of_the_game(seats: int) -> None:
    state = late_state(seats, 3, 30)
    ahead = Lookahead(network_for(seats), RULES[seats], 12)
    actions = state.legal_actions()[:3]
    values = ahead.values(worlds_of(state, 4), actions, state.actor, 1000, np.random.default_rng(1))
    assert values.shape == (3, 4)
    assert (abs(values) <= 1).all()
    assert values.std() > 0


def test_a_lookahead_of_no_depth_asks_the_value_of_the_next_position() -> None:
    state, network = late_state(2, 3, 30), network_for(2)
    world, action = worlds_of(state, 1)[0], state.legal_actions()[0]
    ahead = Lookahead(network, RULES[2], 1)
    value = ahead.values([world], [action], state.actor, 0, np.random.default_rng(1))[0, 0]
    plan = Plan(rules=RULES[2], rows=1, autoreset=Autoreset.NEVER, reward=Reward.CALLER)
    arrays = arrays_for(plan)
    games = games_for(plan, arrays)
    games.load([0], world, -1)
    arrays.select.fill(1)
    arrays.actions[:] = action
    games.play()
    games.show(state.actor, arrays.observations, None, None)
    assert arrays.observations is not None
    assert value == pytest.approx(network.forward(arrays.observations)[2][0], abs=1e-5)


def test_the_improved_policy_depends_only_on_what_the_seat_knows() -> None:
    state = late_state(2, 5, 25)
    other = worlds_of(state, 1)[0]
    assert other.contracts != state.contracts  # hidden from this seat
    found = []
    for given in (state, other):
        searcher = Searcher(network_for(2), RULES[2], Effort(4, 3, 2), "seed")
        found.append(searcher.improve(given))
    for first, second in zip(*found, strict=True):
        assert (first == second).all()
    _, mask, policy = found[0]
    assert policy.sum() == pytest.approx(1)
    assert (policy[mask == 0] == 0).all()


def test_examples_have_the_worth_of_their_seat() -> None:
    found = search_games(network_for(2), RULES[2], 1, Effort(2, 2, 0), "seed")
    assert len(found.seen) == len(found.policy) == len(found.worth) > 20
    assert len(set(np.round(found.worth, 5).tolist())) <= 2
    assert found.policy.sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_search_follows_practice_and_can_be_kept_out_by_the_gate(tmp_path: Path) -> None:
    run = Run(tmp_path, replace(SMALL, imitated=0))
    first = next(run.proceed(1e-9))
    assert first.kind == "practice"
    second = next(run.proceed(run.seconds * 1.5))
    assert second.kind == "search"
    assert not second.promoted  # two blocks decide nothing


def test_a_network_learns_to_choose_as_planner_does() -> None:
    network, adam = network_for(2), Adam()
    found = planner_games(RULES[2], 2_000, "seed")
    assert found.masks[found.policy].all()

    def agreement() -> float:
        logits = network.forward(found.seen)[1]
        best = np.where(found.masks, logits, -np.inf).argmax(axis=1)
        return float((best == found.policy.argmax(axis=1)).mean())

    before = agreement()
    learn(network, adam, found, 10, 3e-3, np.random.default_rng(1))
    assert agreement() > before + 0.1


@pytest.mark.parametrize("seats", [2, 3])
def test_a_network_is_as_strong_as_itself(seats: int) -> None:
    network = network_for(seats)
    assert Duel(RULES[seats], 4).scores(network, network, "a") == [0.5] * 4


def test_the_gate_keeps_an_equal_network_out() -> None:
    network = network_for(2)
    verdict = judge(network, network, RULES[2], "a", 4)
    assert (verdict.blocks, verdict.elo, verdict.promoted) == (4, 0, False)


def test_a_run_continues_as_if_it_had_not_been_interrupted(tmp_path: Path) -> None:
    weights = []
    for name, stops in (("at_once", [3]), ("in_parts", [1, 1, 1])):
        for steps in stops:
            run = Run(tmp_path / name, SMALL)
            proceeding = run.proceed(1e9)
            for _ in range(steps):
                next(proceeding)
        weights.append(run._learner.weights | run.champion.weights)
        assert [step.number for step in run.steps] == [1, 2, 3]
        assert [step.kind for step in run.steps] == ["imitation", "practice", "practice"]
    assert all((weights[0][name] == weights[1][name]).all() for name in weights[0])
    with pytest.raises(OtherSettings, match="other settings"):
        Run(tmp_path / "at_once", Settings(seed=2))


@pytest.mark.process
def test_the_command_makes_a_bot_and_refuses_another_run(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    sizes = [
        "--hidden",
        "16",
        "8",
        "--imitate",
        "0",
        "--decisions",
        "1",
        "--games",
        "1",
        "--blocks",
        "2",
    ]
    command = ("train", "reference", "--folder", str(folder), *sizes, "--json", "--hours")
    trained = damrak(*command, "0.000001")
    assert trained.returncode == 0, trained.stderr
    report = json.loads(trained.stdout)
    assert [step["kind"] for step in report["steps"]] == ["practice"]
    assert [one["faults"] for one in report["strength"]] == [0, 0]
    lines = list(csv.DictReader((folder / "steps.csv").read_text().splitlines()))
    assert len(lines) == 1
    refused = damrak(*command, "1", "--seed", "2")
    assert refused.returncode == 2
    assert "other settings" in refused.stderr


@pytest.mark.process
def test_a_folder_without_a_run_is_kept(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    refused = damrak("train", "reference", "--folder", str(tmp_path))
    assert refused.returncode == 2
    assert "contains no run" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_short_run_has_smaller_steps_and_keeps_their_size(tmp_path: Path) -> None:
    short = settings_for(0.01)
    assert (short.imitated, short.decisions, short.games) == (5_000, 20_000, 4)
    assert settings_for(3) == Settings()
    run = Run(tmp_path, replace(SMALL, imitated=short.imitated))
    run.keep()
    assert kept_settings(tmp_path) == run.settings
