"""Estimates between two fits, compared with a full fit."""

from dataclasses import replace

import numpy as np

from damrak_ladder.ratings import History, Online, Scale, rate
from damrak_ladder.ratings.sweep import layout_of, sweep
from damrak_ladder.simulation.world import world_of


def played(blocks, later, bots=60):
    world, rng = world_of(bots, 5), np.random.default_rng(5)
    order = np.argsort(world.elo)
    scale = Scale({int(order[at]): float(world.elo[order[at]]) for at in (6, 30, 54)})

    def some(count):
        tables = {
            seats: rng.random((count // 3, bots)).argsort(axis=1)[:, :seats].astype(np.int32)
            for seats in (2, 3, 4)
        }
        return world.play(tables, rng)

    return world, scale, some(blocks), some(later)


def one_by_one(news):
    for table in news.tables.values():
        for block in range(len(table)):
            yield History({table.seats: table.tail(block).head(1)})


def test_it_stays_close_to_the_full_fit():
    world, scale, before, news = played(900, 90)
    fitted = rate(before, len(world), scale)
    online = Online.after(fitted)
    for block in one_by_one(news):
        online.absorb(block)
    full = rate(before.joined(news), len(world), scale)
    distance = (online.elo - full.elo) / np.maximum(full.error, 1)
    moved = (fitted.elo - full.elo) / np.maximum(full.error, 1)
    assert np.sqrt(np.mean(distance**2)) < 0.25
    assert np.sqrt(np.mean(distance**2)) < np.sqrt(np.mean(moved**2)) / 2
    assert np.max(np.abs(distance)) < 0.8
    ratio = online.error[full.error > 0] / full.widths[full.error > 0]
    assert 0.9 < np.median(ratio) < 1.1


def test_blocks_one_by_one_or_together_give_similar_results():
    world, scale, before, news = played(900, 60)
    fitted = rate(before, len(world), scale)
    apart, together = Online.after(fitted), Online.after(fitted)
    for block in one_by_one(news):
        apart.absorb(block)
    together.absorb(news)
    assert np.max(np.abs(apart.elo - together.elo) / np.maximum(fitted.error, 1)) < 0.2


def test_a_newcomer_reaches_its_rank():
    world, scale, before, _ = played(3000, 0)
    best = int(np.argmax(world.elo))
    online = Online.after(rate(before, len(world), scale))
    newcomer = online.enter(1500.0)
    world = replace(  # with a copy of the best version
        world,
        strength=np.append(world.strength, world.strength[best]),
        styles=np.concatenate([world.styles, world.styles[:1]]),
    )
    rng = np.random.default_rng(6)
    for _ in range(40):
        other = int(np.argmin(np.abs(online.elo[:-1] - online.elo[newcomer])))
        online.absorb(world.play({2: np.array([[newcomer, other]], dtype=np.int32)}, rng))
    assert abs(online.elo[newcomer] - world.elo[best]) < 3 * online.error[newcomer] < 300


def test_only_players_move_and_anchors_never():
    world, scale, before, news = played(900, 30)
    online = Online.after(rate(before, len(world), scale))
    at = online.elo.copy()
    touched = online.absorb(news.only(2))
    others = np.setdiff1d(np.arange(len(world)), touched)
    assert (online.elo[others] == at[others]).all()
    anchors = list(scale.anchors)
    assert np.allclose(online.elo[anchors], at[anchors], atol=1e-3)


def test_updates_converge_to_the_maximum_after_surprises():
    """Newton's method alone would oscillate in some of these."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        before = rng.normal(0, 4, 2)
        tables = {2: rng.random((12, 2)).argsort(axis=1).astype(np.int32)}
        news = world_of(2, seed).play(tables, rng)
        online = Online(before.copy(), np.full(2, 4.0), turns={}, effects={2: 1.0}, origin=1500.0)
        online.absorb(news)
        layout = layout_of(news.tables[2])
        scores = sweep(layout, online.strength, np.zeros(2)).score
        pull = np.bincount(layout.version, scores, 2) + (before - online.strength) / 4
        assert np.max(np.abs(pull)) < 1e-6, seed


def test_nothing_new_changes_nothing():
    world, scale, before, _ = played(900, 0)
    online = Online.after(rate(before, len(world), scale))
    assert len(online.absorb(History({}))) == 0
