"""Tie bands, ranges of ranks and the probability of being first."""

import numpy as np
import pytest
from scipy.stats import studentized_range

from damrak_ladder.ratings import (
    Block,
    Game,
    History,
    Scale,
    bands,
    first_probability,
    posterior,
    rate,
)
from damrak_ladder.ratings.bands import honest_difference
from damrak_ladder.simulation.world import world_of


def rated(bots=30, blocks=600, seed=1, **how):
    world, rng = world_of(bots, seed, **how), np.random.default_rng(seed)
    tables = {2: rng.random((blocks, bots)).argsort(axis=1)[:, :2].astype(np.int32)}
    return world, rate(world.play(tables, rng), bots, Scale({0: world.elo[0]}))


def everyone(ratings):
    return np.arange(len(ratings), dtype=np.int32)


def field_of(ratings):
    return posterior(ratings, everyone(ratings))


@pytest.mark.parametrize("count", [2, 3, 10, 100])
def test_the_honest_difference_is_tukeys(count):
    expected = studentized_range.ppf(0.95, count, np.inf) / np.sqrt(2)
    assert honest_difference(count) == pytest.approx(expected, abs=2e-3)


def test_equal_bots_are_hardly_ever_separated():
    split = 0
    for seed in range(40):
        _, ratings = rated(bots=12, blocks=300, seed=seed, spread=0.0)
        split += bands(field_of(ratings), everyone(ratings)).band.max() > 1
    assert split <= 6  # the expected number is 2: 5 % of 40


def test_bands_and_ranks_fit_together():
    _, ratings = rated(blocks=3000)
    found = bands(field_of(ratings), everyone(ratings))
    rank = np.arange(1, len(ratings) + 1)
    assert (np.diff(ratings.elo[found.order]) <= 0).all()
    assert sorted(found.order) == list(range(30))
    assert found.band[0] == 1
    assert set(np.diff(found.band)) <= {0, 1}
    assert found.band[-1] > 3
    assert (found.best <= rank).all()
    assert (rank <= found.worst).all()


def test_the_range_of_ranks_contains_the_true_rank():
    outside = 0
    for seed in range(10):
        world, ratings = rated(seed=seed)
        found = bands(field_of(ratings), everyone(ratings))
        true = np.empty(30)
        true[np.argsort(-world.elo)] = np.arange(1, 31)
        rank = true[found.order]
        outside += bool(((rank < found.best) | (rank > found.worst)).any())
    assert outside <= 2


def test_the_chance_of_being_first_is_shared_out():
    _, ratings = rated(blocks=400)
    chance = first_probability(field_of(ratings), everyone(ratings))
    assert chance.sum() == pytest.approx(1)
    assert chance[np.argmax(ratings.elo)] >= 0.2
    assert chance[np.argmin(ratings.elo)] < 0.001  # it has few games


def test_equal_bots_have_equal_chances():
    _, ratings = rated(bots=2, blocks=1, spread=0.0)
    ratings.expansion.elo[:] = 1500
    assert first_probability(field_of(ratings), everyone(ratings)) == pytest.approx(
        [0.5, 0.5], abs=0.01
    )


def test_only_those_on_the_list_count():
    _, ratings = rated()
    some = np.array([4, 9, 11], dtype=np.int32)
    assert first_probability(posterior(ratings, some), some).sum() == pytest.approx(1)
    assert sorted(bands(posterior(ratings, some), some).order) == [4, 9, 11]


def test_version_with_few_games_may_be_the_strongest():
    won, lost = Game((0, 1), (1, 2)), Game((1, 0), (2, 1))
    played = [Block((1, 0), (won, won if number % 3 else lost)) for number in range(300)]
    ratings = rate(History.of([*played, Block((2, 0), (won, lost))]), 3, Scale({0: 1000.0}))
    assert ratings.elo[2] < ratings.low[1]
    # The two others are far apart, so the prior is wide and hardly shrinks the third.
    assert 0.1 < first_probability(field_of(ratings), everyone(ratings))[2] < 0.5


def test_the_best_estimate_among_equals_is_shrunk():
    """Estimates of identical bots differ by luck alone."""
    shown = []
    for seed in range(30):
        _, ratings = rated(bots=24, blocks=120, seed=seed, spread=0.0)
        shown.append(first_probability(field_of(ratings), everyone(ratings)).max())
    assert np.mean(shown) < 0.16
    assert max(shown) < 0.5


def test_the_mean_of_the_field_does_not_matter_nor_how_well_it_is_known():
    """Errors that all versions share contain no information about the best one."""
    world, rng = world_of(12, 3), np.random.default_rng(3)
    tables = {2: (1 + rng.random((400, 11)).argsort(axis=1)[:, :2]).astype(np.int32)}
    games = world.play(tables, rng)
    chances = []
    for links in (1, 40):  # blocks that connect the field with its anchor
        linked = games.joined(
            world.play({2: np.tile(np.array([[0, 5]], np.int32), (links, 1))}, rng)
        )
        ratings = rate(linked, 12, Scale({0: world.elo[0]}))
        others = np.arange(1, 12, dtype=np.int32)
        chances.append(first_probability(posterior(ratings, others), others))
    assert chances[0] == pytest.approx(chances[1], abs=0.05)


def test_with_many_blocks_the_posterior_is_the_estimate():
    _, ratings = rated(bots=8, blocks=6000)
    drawn = field_of(ratings).draw(everyone(ratings), 4096)
    assert drawn.mean(axis=0) == pytest.approx(ratings.elo, abs=5)
