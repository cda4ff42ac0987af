"""Games of the vector environment as states of the engine, and back."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from damrak.env import encoder_for, rollouts, simulate, vector
from damrak.env.vectorized.conversion import Replayed, checked_state
from damrak.env.vectorized.native import NativeGames
from damrak.env.vectorized.plan import Plan, arrays_for
from damrak_engine.boards import load_board
from damrak_engine.determinize import determinize
from damrak_engine.observation import observe
from damrak_engine.rules import rules_for
from damrak_engine.scoring import totals
from samples import examples
from strategies import plans, walk

pytestmark = pytest.mark.usefixtures("native")


@given(game=plans())
@examples(60)
def test_states_of_any_game_can_be_loaded(game: Any) -> None:
    rules = game.rules
    plan = Plan(rules, 1)
    games = NativeGames(plan, arrays_for(plan))
    it = games.arrays
    it.select.fill(1)
    games.deal()
    encoder = encoder_for(rules)
    for number, (state, _, _) in enumerate(walk(game)):
        if number % 5:
            continue
        games.load([0], checked_state(rules, state))
        for seat in range(rules.seats):
            games.show(seat, it.observations, it.masks, it.seats)
            assert np.array_equal(it.observations[0], encoder.encode(observe(state, seat)))
            expected = encoder.mask(state.legal_mask() if seat == state.actor else 0)
            assert np.array_equal(it.masks[0], expected)
        for _ in range(20):  # the game continues like that of the engine
            if games.is_waiting[0]:
                break
            games.choose()
            games.step()
            now = Replayed(games, 0).advance()
            if now.is_over:
                assert it.outcomes[0, :, 0].tolist() == totals(now)
                break
            games.show(now.actor, it.observations, it.masks, it.seats)
            assert np.array_equal(it.observations[0], encoder.encode(observe(now, now.actor)))


def test_a_state_has_everything_that_seats_know() -> None:
    envs = vector(8, players=3)
    envs.reset(seed=1)
    for _ in range(70):
        envs.step(envs.random_actions())
    for state in envs.states():
        seen = observe(state, state.actor)
        assert observe(determinize(seen, Random(1)), state.actor) == seen


def test_copies_have_chance_of_their_own() -> None:
    envs = vector(64)
    envs.reset(seed=1)
    for _ in range(20):
        envs.step(envs.random_actions())
    envs.copy(0, range(1, 64))
    assert (envs.observations == envs.observations[0]).all()
    assert (envs.masks == envs.masks[0]).all()
    for _ in range(20):
        envs.step(envs.random_actions())
    assert len({row.tobytes() for row in envs.observations}) > 32


def test_loaded_games_continue_against_opponents() -> None:
    envs = vector(4, opponents=("planner",), seat=0)
    envs.reset(seed=1)
    for _ in range(5):
        envs.step(envs.random_actions())
    state = envs.state(1)
    envs.load([2, 3], state, seat=1)
    assert envs.seats.tolist()[2:] == [1, 1]
    for _ in range(100):
        envs.step(envs.random_actions())
    assert envs.seats.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_rollouts_end_like_games_of_the_engine(policy: Any) -> None:
    envs = vector(6, players=3)
    envs.reset(seed=4)
    for _ in range(40):
        envs.step(envs.random_actions())
    states = envs.states()
    results = rollouts(states, 50, policy=policy, seed=3)
    assert results.totals.shape == results.places.shape == (6, 50, 3)
    assert set(np.unique(results.places)) <= {1, 2, 3}
    assert (results.places.min(axis=2) == 1).all()
    best = results.totals.max(axis=2, keepdims=True)
    assert (results.places[results.totals < best] > 1).all()
    again = rollouts(states, 50, policy=policy, seed=3, threads=2)
    assert np.array_equal(results.totals, again.totals)
    assert not np.array_equal(results.totals, rollouts(states, 50, policy=policy, seed=5).totals)
    assert all(state.turns == it.turns for state, it in zip(states, envs.states(), strict=True))


def test_simulations_of_whole_games() -> None:
    rules = rules_for(load_board("amsterdam"), 2)
    results = simulate(rules, 4000, policy="greedy", seed=1)
    assert results.totals.shape == (4000, 2)
    assert 40 < results.actions / 4000 < 55
    # Both seats are equally strong: the difference is within five standard errors.
    margin = results.totals[:, 0] - results.totals[:, 1]
    assert abs(margin.mean()) < 5 * margin.std() / 4000**0.5
