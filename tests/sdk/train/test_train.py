"""Training: gradients, advantages, and a policy that learns from nothing."""

from __future__ import annotations

import csv
import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli import damrak
from damrak.env.layout import LAYOUT
from damrak.train.measurement import share_won
from damrak.train.network import Network
from damrak.train.ppo import Training, train
from damrak.train.self_play import DECAY, Recorder, distribution

FEW = Training(seconds=None, decisions=120_000, hidden=64, games=128, steps=128, seed=3)


@pytest.mark.parametrize("hidden", [(5,), (5, 3)])
def test_gradients_are_those_of_the_outputs(hidden: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    network = Network.fresh(6, hidden, 4, rng)
    weights: Any = {name: array.astype(np.float64) for name, array in network.weights.items()}
    network.weights = weights
    seen: Any = rng.normal(size=(3, 6))  # twice the precision of a training
    out: Any = rng.normal(size=(3, 4))
    value: Any = rng.normal(size=3)

    def loss() -> float:
        _, logits, values = network.forward(seen)
        return float((logits * out).sum() + (values * value).sum())

    found = network.gradients(network.forward(seen)[0], out, value)
    for name, array in weights.items():
        for at in list(np.ndindex(array.shape))[:8]:
            kept, step = array[at], 1e-6
            array[at] = kept + step
            above = loss()
            array[at] = kept - step
            slope = (above - loss()) / (2 * step)
            array[at] = kept
            assert found[name][at] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("players", [2, 3])
def test_advantages_are_those_of_each_seat(players: int) -> None:
    recorder = Recorder(games=8, steps=150, board="practice", players=players, seed=1)
    encoder = recorder.envs.encoder
    network = Network.fresh(encoder.size, (16,), encoder.actions, np.random.default_rng(2))
    recorder.record(network)
    found, last = recorder._advantages(network), recorder._last_values(network)
    for row in range(8):
        for seat in range(players):
            # Each seat by itself, backwards: its decisions, and the ends of its games.
            following, later, reward = float(last[row, seat]), 0.0, 0.0
            for at in reversed(range(150)):
                if recorder._ends[at, row]:
                    reward, following, later = float(recorder._rewards[at, row, seat]), 0.0, 0.0
                if recorder._seats[at, row] == seat:
                    value = float(recorder._values[at, row])
                    later = reward + following - value + DECAY * later
                    reward, following = 0.0, value
                    assert found[at, row] == pytest.approx(later, abs=1e-4)


def test_illegal_actions_are_never_chosen() -> None:
    recorder = Recorder(games=16, steps=64, board="amsterdam", players=2, seed=1)
    encoder = recorder.envs.encoder
    network = Network.fresh(encoder.size, (16,), encoder.actions, np.random.default_rng(2))
    found = recorder.record(network)
    assert found.masks[np.arange(len(found.actions)), found.actions].all()
    assert (found.masks.sum(axis=1) > 1).all()
    _, odds = distribution(network.forward(found.seen)[1], found.masks)
    assert (odds[~found.masks] == 0).all()
    assert np.allclose(odds.sum(axis=1), 1, atol=1e-5)


def test_a_policy_learns_from_nothing_and_equal_seeds_learn_alike() -> None:
    *_, (network, state) = train(FEW)
    assert state.share == 1
    assert state.decisions >= 120_000
    assert share_won(network, 2, 96, "random") > 0.9
    assert share_won(network, 2, 96, "greedy") > 0.2
    first, second = (list(islice(train(FEW), 2))[-1][0].weights for _ in range(2))
    assert all((first[name] == second[name]).all() for name in first)


@pytest.mark.process
def test_the_command_makes_a_bot_that_plays(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    length = ["--decisions", "40000", "--hidden", "32", "--blocks", "2"]
    trained = damrak("train", "policy", str(folder), *length, "--json")
    assert trained.returncode == 0, trained.stderr
    report = json.loads(trained.stdout)
    assert [one["opponent"] for one in report["strength"]] == ["random", "greedy", "planner"]
    assert all(one["games"] == 4 and one["faults"] == 0 for one in report["strength"])
    assert all(one["low"] < one["elo"] < one["high"] for one in report["strength"])
    assert json.loads((folder / "training.json").read_text()) == report
    points = list(csv.DictReader((folder / "progress.csv").read_text().splitlines()))
    assert int(points[-1]["decisions"]) == report["decisions"] >= 40_000
    assert (folder / "progress.svg").read_text().rstrip().endswith("</svg>")
    with np.load(folder / "policy.npz") as kept:
        assert str(kept["layout"]) == str(LAYOUT)
        assert set(kept) == {"w1", "b1", "w2", "b2", "layout"}
        assert kept["w1"].shape[1] == 32


@pytest.mark.process
@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (["--minutes", "0"], "minutes"),
        (["--minutes", "1", "--decisions", "5"], "not allowed with"),
        (["--players", "5"], "players"),
        (["--hidden", "0"], "hidden"),
    ],
)
def test_invalid_arguments_are_named(tmp_path: Path, given: list[str], problem: str) -> None:
    refused = damrak("train", "policy", str(tmp_path / "mine"), *given)
    assert refused.returncode == 2
    assert problem in refused.stderr
    assert not (tmp_path / "mine").exists()


@pytest.mark.process
def test_an_existing_folder_is_kept(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    refused = damrak("train", "policy", str(tmp_path))
    assert refused.returncode == 2
    assert "already exists" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
