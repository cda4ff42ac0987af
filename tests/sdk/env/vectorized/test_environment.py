"""The vector environment: spaces, arrays, automatic reset, random numbers, rewards."""

from __future__ import annotations

import gc
import multiprocessing
import threading
import time
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from damrak.env import LAYOUT, Finished, encoder_for, vector
from damrak_engine.observation import observe

pytestmark = pytest.mark.usefixtures("native")
ARRAYS = ("observations", "masks", "rewards", "terminals", "truncations", "seats", "seat_rewards")


def play(envs: Any, steps: int) -> list[tuple[np.ndarray, ...]]:
    """Play at random, and return copies of all arrays after every step."""
    seen = []
    for _ in range(steps):
        envs.step(envs.random_actions())
        seen.append(tuple(getattr(envs, name).copy() for name in ARRAYS))
    return seen


def is_same(one: list[tuple[np.ndarray, ...]], other: list[tuple[np.ndarray, ...]]) -> bool:
    return all(
        np.array_equal(a, b)
        for x, y in zip(one, other, strict=True)
        for a, b in zip(x, y, strict=True)
    )


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_spaces_contain_what_is_written(dtype: Any) -> None:
    envs = vector(8, players=3, dtype=dtype)
    assert isinstance(envs, VectorEnv)
    assert envs.is_native
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.metadata["observation"] == LAYOUT
    observations, info = envs.reset(seed=1)
    for _ in range(300):
        assert observations in envs.observation_space
        assert observations.dtype == dtype
        assert info["action_mask"] is envs.masks
        actions = envs.random_actions()
        assert actions in envs.action_space
        assert (envs.masks[np.arange(8), actions] == 1).all()
        observations, *_, info = envs.step(actions)


def test_bytes_are_counts_that_the_encoder_scales() -> None:
    one, other = vector(8, dtype="uint8"), vector(8)
    one.reset(seed=1)
    other.reset(seed=1)
    encoder = one.encoder
    for _ in range(100):
        scaled = one.observations.astype(np.float32)
        scaled[:, -len(encoder.scale) :] *= encoder.scale
        assert np.array_equal(scaled, other.observations)
        one.step(other.random_actions())
        other.step(other.random_actions())


def test_vectors_are_those_of_the_encoder() -> None:
    envs = vector(4, players=4)
    envs.reset(seed=5)
    encoder = encoder_for(envs.rules)
    for _ in range(60):
        for row, state in enumerate(envs.states()):
            assert envs.seats[row] == state.actor
            expected = encoder.encode(observe(state, state.actor))
            assert np.array_equal(envs.observations[row], expected)
            assert np.array_equal(envs.masks[row], encoder.mask(state.legal_mask()))
        envs.step(envs.random_actions())


def test_same_step_shows_the_next_game_and_keeps_the_last_observation() -> None:
    envs = vector(16, opponents="random", seat=0)
    envs.reset(seed=3)
    ended = 0
    phase = envs.encoder.parts["phase"]
    for _ in range(200):
        _, rewards, terminals, truncations, info = envs.step(envs.random_actions())
        assert not truncations.any()
        assert (rewards[~terminals] == 0).all()
        assert envs.masks.any(axis=1).all()
        if terminals.any():
            ended += terminals.sum()
            assert np.array_equal(info["_final_obs"], terminals)
            assert (info["final_obs"][terminals][:, phase.stop - 1] == 1).all()
            assert (envs.observations[:, phase.stop - 1] == 0).all()
            assert (envs.observations[terminals][:, phase.start] == 1).all()
            margin = info["total"][terminals, 0] - info["total"][terminals, 1]
            clear = margin != 0
            assert np.array_equal(np.sign(margin[clear]), rewards[terminals][clear])
    assert ended > 50


def test_next_step_ends_with_the_last_observation() -> None:
    envs = vector(16, opponents="random", autoreset_mode="NextStep")
    envs.reset(seed=3)
    over = np.zeros(16, bool)
    last = envs.encoder.parts["phase"].stop - 1
    seen = 0
    for _ in range(200):
        actions = envs.random_actions().copy()
        actions[over] = 7_000  # ignored
        _, rewards, terminals, _, _ = envs.step(actions)
        assert not terminals[over].any()
        assert (rewards[over] == 0).all()
        assert np.array_equal(envs.observations[:, last] == 1, terminals)
        assert np.array_equal(~envs.masks.any(axis=1), terminals)
        over = terminals.copy()
        seen += terminals.sum()
    assert seen > 50


def test_without_automatic_reset_rows_are_reset_by_a_mask() -> None:
    envs = vector(4, opponents="greedy", autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=3)
    while not envs.terminals.any():
        envs.step(envs.random_actions())
    over = envs.terminals.copy()
    with pytest.raises(ValueError, match="is over: reset it"):
        envs.step(envs.random_actions())
    before = envs.observations.copy()
    envs.reset(options={"reset_mask": over})
    assert np.array_equal(envs.observations[~over], before[~over])
    assert not envs.terminals.any()
    envs.step(envs.random_actions())


def test_rewards_of_all_seats_and_of_the_seat_that_decided() -> None:
    envs = vector(32, players=3, reward="margin")
    envs.reset(seed=2)
    for _ in range(200):
        decided = envs.seats.copy()
        _, rewards, terminals, _, info = envs.step(envs.random_actions())
        assert np.array_equal(rewards, info["seat_rewards"][np.arange(32), decided])
        assert (info["seat_rewards"][~terminals] == 0).all()
        if terminals.any():
            totals = info["total"][terminals]
            assert np.allclose(
                info["seat_rewards"][terminals][:, 0], totals[:, 0] - totals[:, 1:].mean(1)
            )


def test_a_function_computes_rewards() -> None:
    seen: list[Finished] = []

    def reward(finished: Finished) -> np.ndarray:
        seen.append(finished)
        assert (
            finished.totals
            == finished.route_points + finished.contract_points + finished.goods_points
        ).all()
        return finished.route_points / 10

    envs = vector(32, opponents="greedy", reward=reward)
    envs.reset(seed=2)
    for _ in range(60):
        learners = envs.seats.copy()
        _, rewards, terminals, _, _ = envs.step(envs.random_actions())
        if terminals.any():
            points = seen[-1].route_points[np.arange(terminals.sum()), learners[terminals]]
            assert np.array_equal(seen[-1].rows, np.flatnonzero(terminals))
            assert np.allclose(rewards[terminals], points / 10)
    assert seen
    envs = vector(2, reward=lambda finished: finished.totals[0, 0])
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="must return an array of shape"):
        play(envs, 300)


def test_results_depend_on_the_seed_alone() -> None:
    runs = []
    for threads, number in ((1, 100), (2, 100), (5, 100)):
        envs = vector(number, players=3, opponents=("random", "greedy"), threads=threads)
        envs.reset(seed=9)
        runs.append(play(envs, 60))
        envs.close()
    assert is_same(runs[0], runs[1])
    assert is_same(runs[0], runs[2])
    other = vector(100, players=3, opponents=("random", "greedy"))
    other.reset(seed=10)
    assert not is_same(runs[0], play(other, 60))


def test_seeds_for_every_row_and_again() -> None:
    envs = vector(3)
    envs.reset(seed=[4, 5, 4])
    first = play(envs, 30)
    envs.reset()
    assert not is_same(first, play(envs, 30))
    envs.reset(seed=[4, 5, 4])
    assert is_same(first, play(envs, 30))
    assert not np.array_equal(first[0][0][0], first[0][0][2])  # rows differ with the same seed


def test_the_callers_arrays_are_written_in_place() -> None:
    size, actions = encoder_for(vector(1).rules).size, encoder_for(vector(1).rules).actions
    wide = np.full((6, size + actions), 77, np.uint8)  # observation and mask side by side
    buffers = {
        "observations": wide[:, :size],
        "masks": wide[:, size:],
        "rewards": np.full(6, 3, np.float32),
        "terminals": np.ones(6, np.bool_),
        "truncations": np.ones(6, np.bool_),
        "seats": np.full(6, 9, np.int8),
        "seat_rewards": np.full((6, 2), 3, np.float32),
    }
    envs = vector(6, dtype="uint8", buffers=buffers)
    same = vector(6, dtype="uint8")
    envs.reset(seed=1)
    same.reset(seed=1)
    for _ in range(50):
        for name, array in buffers.items():
            assert np.array_equal(array, getattr(same, name)), name
        envs.step(same.random_actions())
        same.step(same.random_actions())


def test_every_seat_can_be_shown() -> None:
    envs = vector(4, players=3)
    envs.reset(seed=1)
    play(envs, 20)
    seen, masks = np.empty_like(envs.observations), np.empty_like(envs.masks)
    for seat in range(3):
        envs.view(seat, seen, masks)
        for row, state in enumerate(envs.states()):
            assert np.array_equal(seen[row], envs.encoder.encode(observe(state, seat)))
            assert masks[row].any() == (state.actor == seat)


def _step_in_child(envs: Any, pipe: Any) -> None:
    pipe.send([row[0] for row in play(envs, 5)])


@pytest.mark.process
def test_threads_begin_anew_in_a_forked_process() -> None:
    envs = vector(64, threads=2)
    envs.reset(seed=1)
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_step_in_child, args=(envs, theirs))
    child.start()
    seen = ours.recv()
    child.join(30)
    expected = [row[0] for row in play(envs, 5)]
    assert all(np.array_equal(a, b) for a, b in zip(seen, expected, strict=True))


def test_threads_end_with_their_environment() -> None:
    before = threading.active_count()
    for number in range(20):
        envs = vector(64, threads=3, opponents="greedy")
        envs.reset(seed=number)
        play(envs, 2)
        if number % 2:
            envs.close()
        del envs
    gc.collect()
    deadline = time.monotonic() + 60
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_wrappers_of_gymnasium() -> None:
    envs = RecordEpisodeStatistics(vector(8, opponents="greedy"))
    _, info = envs.reset(seed=1)
    for _ in range(80):
        masks = info["action_mask"]
        *_, info = envs.step(masks.argmax(axis=1))
    assert len(envs.return_queue) > 10


def test_numpy_and_gymnasium_types_are_welcome() -> None:
    envs = vector(np.int64(2), dtype=np.float32, seat=np.int64(0), opponents="random")
    envs.reset(seed=np.int64(3))
    for kind in (np.int32, np.int64, np.uint16):
        envs.step(envs.random_actions().astype(kind))
    assert isinstance(envs.single_observation_space, gymnasium.spaces.Box)
