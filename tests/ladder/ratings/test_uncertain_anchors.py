"""Anchors with a stated uncertainty: a prior in the fit, in its intervals and between fits."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from damrak_ladder.ratings import Block, Game, History, Online, Scale, rate, rating
from damrak_ladder.ratings.scale import ELO_PER_LOGIT
from damrak_ladder.simulation.coverage import coverage
from damrak_ladder.simulation.seasons import Setting
from damrak_ladder.simulation.world import world_of
from samples import examples


def duels(first, second, *halves):
    """Return mirrored blocks of two games: 2 means that the first player won both, 1 two ties."""
    games = {
        2: (Game((0, 1), (1, 2)), Game((1, 0), (1, 2))),
        1: (Game((0, 1), (1, 1)), Game((1, 0), (1, 1))),
        0: (Game((0, 1), (2, 1)), Game((1, 0), (2, 1))),
    }
    return [Block((first, second), games[half]) for half in halves]


def season(seed=1, bots=40, blocks=300):
    world, rng = world_of(bots, seed), np.random.default_rng(seed)
    tables = {
        seats: rng.random((blocks, bots)).argsort(axis=1)[:, :seats].astype(np.int32)
        for seats in (2, 3, 4)
    }
    return world, world.play(tables, rng)


def anchors_of(world):
    """Return three anchors, far apart, at their true strength."""
    order = np.argsort(world.elo)
    return {int(at): float(world.elo[at]) for at in order[[4, 20, 36]]}


def test_a_fixed_anchor_stays_and_an_uncertain_one_moves():
    world, history = season()
    low, middle, high = anchors_of(world)
    stated = anchors_of(world) | {low: anchors_of(world)[low] + 80}
    found = rate(history, len(world), Scale(stated, errors={low: 30.0, high: 30.0}))
    assert found.low[middle] == found.elo[middle] == found.high[middle] == stated[middle]
    # Between the stated value and that of the games, and closer to the truth than the stated one.
    alone = rate(history, len(world), Scale(stated, errors={low: 30.0, high: 30.0}).without_priors)
    assert alone.elo[low] < found.elo[low] < stated[low]
    assert abs(found.elo[low] - world.elo[low]) < 80
    # Narrower than either source.
    assert 0 < found.error[low] < min(30.0, alone.error[low])
    assert found.low[low] < found.elo[low] < found.high[low]


def test_prior_and_games_are_weighed_by_their_information():
    """Near equality the likelihood of n mirrored games is normal with information n / 4."""
    blocks = duels(0, 1, *[1, 1, 2, 1] * 100)
    sd = 15.0
    alone = rate(History.of(blocks), 2, Scale({1: 1500.0}))
    both = rate(History.of(blocks), 2, Scale({0: 1500.0, 1: 1500.0}, errors={0: sd}))
    share = 1 / (1 + (ELO_PER_LOGIT / sd) ** 2 / (800 * 0.625 * 0.375))
    assert both.elo[0] - 1500 == pytest.approx(share * (alone.elo[0] - 1500), rel=0.03)


def test_a_tiny_error_equals_a_fixed_anchor_and_a_huge_one_no_anchor():
    world, history = season()
    anchors = anchors_of(world)
    first, *others = anchors
    for sd, scale in ((1e-3, Scale(anchors)), (1e6, Scale({first: anchors[first]}))):
        found = rate(history, len(world), Scale(anchors, errors=dict.fromkeys(others, sd)))
        other = rate(history, len(world), scale)
        assert found.elo == pytest.approx(other.elo, abs=0.01)
        assert found.error == pytest.approx(other.error, rel=0.01, abs=0.01)


def test_an_anchor_without_games_has_the_interval_of_its_prior():
    blocks = duels(0, 1, *[1] * 40)
    found = rate(History.of(blocks), 3, Scale({0: 1500.0, 2: 1450.0}, errors={2: 30.0}))
    assert found.elo[2] == pytest.approx(1450, abs=2)
    assert found.high[2] - found.elo[2] == pytest.approx(1.96 * 30, rel=0.1)


def test_all_anchors_may_be_uncertain_until_the_fixed_one_has_played():
    blocks = duels(0, 1, *[1, 2, 0, 1] * 20)
    found = rate(History.of(blocks), 2, Scale({0: 1600.0, 1: 1500.0}, errors={0: 30.0, 1: 30.0}))
    assert 1500 < found.elo[1] < found.elo[0] < 1600
    assert np.mean(found.elo) == pytest.approx(1550, abs=1)


def test_large_fields_have_the_same_intervals(monkeypatch):
    world, history = season(bots=200, blocks=1500)
    anchors = anchors_of(world)
    _, *others = anchors
    scale = Scale(anchors, errors=dict.fromkeys(others, 30.0))
    exact = rate(history, len(world), scale)
    monkeypatch.setattr(rating, "EXACT", 0)
    wide = rate(history, len(world), scale)
    assert wide.elo == pytest.approx(exact.elo, abs=1e-4)
    assert wide.error == pytest.approx(exact.error, rel=0.05, abs=0.1)


@examples(60)
@given(
    st.lists(st.tuples(st.permutations(range(4)), st.integers(0, 2)), min_size=1, max_size=8),
    st.lists(st.floats(0.5, 300), min_size=4, max_size=4),
    st.lists(st.floats(0, 3000), min_size=4, max_size=4),
    st.integers(0, 3),
)
def test_everything_is_finite_and_where_the_search_begins_does_not_matter(met, errors, elo, fixed):
    blocks = [block for order, half in met for block in duels(*order[:2], half)]
    stated = {at: error for at, error in enumerate(errors) if at != fixed}
    scale = Scale(dict(enumerate(elo)), errors=stated)
    found = rate(History.of(blocks), 4, scale)
    for values in (found.elo, found.low, found.high, found.error):
        assert np.isfinite(values).all()
    assert (found.low <= found.elo).all()
    assert (found.elo <= found.high).all()
    again = rate(History.of(blocks), 4, scale, rate(History.of(blocks), 4, Scale()))
    assert again.elo == pytest.approx(found.elo, abs=1e-4)


def test_an_uncertain_anchor_moves_between_fits():
    world, history = season()
    low, middle, high = anchors_of(world)
    ratings = rate(history, len(world), Scale(anchors_of(world), errors={low: 30.0, high: 30.0}))
    online = Online.after(ratings)
    before = online.elo.copy()
    rng = np.random.default_rng(3)
    tables = {3: np.tile(np.array([[low, middle, high]], dtype=np.int32), (10, 1))}
    online.absorb(world.play(tables, rng))
    assert online.elo[middle] == pytest.approx(before[middle], abs=1e-3)
    assert abs(online.elo[low] - before[low]) > 0.1
    assert online.error[low] < ratings.error[low] * 1.1


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        Scale({0: 1500.0}, errors={0: 0.0})
    with pytest.raises(ValueError, match="anchors"):
        Scale({0: 1500.0}, errors={1: 30.0})


@pytest.mark.process
def test_intervals_contain_the_truth_if_the_error_of_anchors_is_stated():
    setting = Setting(bots=60, blocks=4000, seed=5, spread=400.0, cycles=0.0)
    rows = coverage(setting, (0.0, 30.0, 60.0), 20, lambda done, of: None)
    assert [row["anchor_error"] for row in rows] == [0, 30, 60]
    exact, usual, large = rows
    for row in rows:
        assert 0.93 <= row["stated"] <= 0.985, row
        assert row["anchors"] >= 0.85
    assert 0.92 <= exact["fixed"] <= 0.98
    assert large["fixed"] < usual["fixed"] < exact["fixed"]
    assert large["fixed"] < 0.9
    assert large["width_stated"] > large["width_fixed"]


@pytest.mark.process
def test_the_coverage_is_printed():
    command = [sys.executable, "-m", "damrak_ladder", "simulate", "--only", "coverage"]
    small = ["--bots", "20", "--blocks", "200", "--seasons", "10"]
    done = subprocess.run(
        [*command, *small, "--anchor-error", "30", "--json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["coverage"]
    assert (row["anchor_error"], row["stated_sd"], row["seasons"]) == (30, 30, 10)
    text = subprocess.run([*command, *small], capture_output=True, text=True)
    assert "SD 60" in text.stdout
    for wrong in (["--anchor-error", "-1"], ["--no-anchors"]):
        refused = subprocess.run([*command, *wrong], capture_output=True, text=True)
        assert refused.returncode == 2
        assert wrong[0] in refused.stderr
