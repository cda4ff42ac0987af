"""The approximation for many versions compared with the exact calculation."""

import numpy as np
import pytest

from damrak_ladder.ratings import covariance, rate, rating
from damrak_ladder.simulation.world import world_of


@pytest.mark.parametrize("reach", [300, 20])
def test_the_approximation_is_close(monkeypatch, reach):
    """At random tables, and at tables of neighbours, where errors are shared along the ladder."""
    world, rng = world_of(300, 4), np.random.default_rng(4)
    rank = np.argsort(world.elo)
    tables = {}
    for seats in (2, 3, 4):
        start = rng.integers(0, 300 - min(reach, 299), (4000, 1))
        steps = rng.random((4000, min(reach, 300))).argsort(axis=1)[:, :seats]
        tables[seats] = rank[np.minimum(start + steps, 299)].astype(np.int32)
    history = world.play(tables, rng)
    # The covariance itself is compared, before the mean of the field is subtracted.
    monkeypatch.setattr(rating, "CentredCovariance", lambda whole, field: whole)
    exact = rate(history, 300)
    monkeypatch.setattr(rating, "EXACT", 0)
    monkeypatch.setattr("damrak_ladder.ratings.curvature._KNOTS", 60)
    wide = rate(history, 300)
    assert isinstance(wide.covariance, covariance.WideCovariance)
    ratio = wide.error / exact.error
    assert abs(np.mean(ratio) - 1) < 0.005
    assert np.std(ratio) < 0.01

    some, others = np.arange(0, 300, 7, dtype=np.int32), np.arange(3, 300, 11, dtype=np.int32)

    def difference(ratings):
        between = ratings.covariance.between(some, others)
        own = ratings.covariance.variances
        return np.sqrt(np.maximum(own[some][:, None] + own[others] - 2 * between, 0))

    apart = difference(exact) > 0
    ratio = difference(wide)[apart] / difference(exact)[apart]
    assert abs(np.mean(ratio) - 1) < 0.02
    assert np.std(ratio) < 0.02
