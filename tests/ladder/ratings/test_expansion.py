"""The normal likelihood behind statements about the best version."""

import numpy as np
import pytest

from damrak_ladder.ratings import Block, Game, History, Scale, rate
from damrak_ladder.ratings.scale import ELO_PER_LOGIT

ANCHOR = 0
FIRST, SECOND = Game((0, 1), (1, 2)), Game((1, 0), (1, 2))
LOST_FIRST, LOST_SECOND = Game((0, 1), (2, 1)), Game((1, 0), (2, 1))
BOTH, SPLIT, NEITHER = (FIRST, SECOND), (FIRST, LOST_SECOND), (LOST_FIRST, LOST_SECOND)


def rated(*results):
    """Return ratings of versions 1, 2, … that played these blocks against the anchor."""
    blocks = [
        Block((version, ANCHOR), games)
        for version, played in enumerate(results, 1)
        for games in played
    ]
    return rate(History.of(blocks), len(results) + 1, Scale({ANCHOR: 1500.0}))


def test_a_version_that_won_nearly_all_games_is_shrunk_by_its_skewed_likelihood():
    even, ahead = [BOTH, NEITHER] * 5, [BOTH] * 9 + [SPLIT]
    ratings = rated(even, even, even, ahead)
    spread, wins, games = 100.0, 19, 20
    # The exact posterior mean: an integral over the strength of this version alone.
    elo = np.linspace(-1500, 1500, 20_001)
    chance = 1 / (1 + np.exp(-elo / ELO_PER_LOGIT))
    likelihood = wins * np.log(chance) + (games - wins) * np.log(1 - chance)
    density = np.exp(likelihood / ratings.expansion.dispersion - (elo / spread) ** 2 / 2)
    exact = np.sum(elo * density) / np.sum(density)

    def shrunk(estimate, variance):
        return (estimate - 1500) * spread**2 / (spread**2 + variance)

    assert shrunk(ratings.expansion.elo[4], ratings.expansion.variances[4]) == pytest.approx(
        exact, abs=12
    )
    assert shrunk(ratings.elo[4], ratings.error[4] ** 2) < exact - 30  # much too cautious


def test_errors_do_not_depend_on_how_the_blocks_of_one_version_happened_to_stray():
    ratings = rated([SPLIT] * 10, [BOTH, NEITHER] * 5)
    assert ratings.elo[1] == pytest.approx(ratings.elo[2], abs=1)
    assert ratings.error[2] > 1.3 * ratings.error[1]
    variances = ratings.expansion.variances
    assert variances[1] == pytest.approx(variances[2], rel=0.01)


def test_blocks_that_repeat_themselves_widen_all_errors():
    steady = rated(*[[SPLIT] * 10] * 4).expansion
    erratic = rated(*[[BOTH, NEITHER] * 5] * 4).expansion
    assert steady.dispersion < 1 < erratic.dispersion
    assert erratic.variances[1] > 1.5 * steady.variances[1]


def test_the_anchor_keeps_its_elo():
    ratings = rated([SPLIT] * 3, [BOTH] * 3)
    assert ratings.expansion.elo[ANCHOR] == 1500
    assert ratings.expansion.variances[ANCHOR] == 0
