"""Ratings: their values, and the inputs that must not affect them."""

import itertools
import math
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from damrak_ladder.ratings import (
    Block,
    Game,
    History,
    Online,
    Scale,
    bands,
    first_probability,
    posterior,
    rate,
    rate_by_seats,
)
from damrak_ladder.ratings.model import PHANTOM_GAMES
from damrak_ladder.ratings.scale import ELO_PER_LOGIT
from damrak_ladder.simulation.world import world_of
from damrak_statistics.block_scores import elo_estimate
from samples import examples


def mirrored(players, *places):
    """Return a block in which the first player begins first."""
    seats = len(players)
    return Block(
        players,
        tuple(
            Game(tuple((column + game) % seats for column in range(seats)), where)
            for game, where in enumerate(places)
        ),
    )


WON, LOST, TIED = (1, 2), (2, 1), (1, 1)


@st.composite
def histories(draw, versions=5):
    blocks = []
    for _ in range(draw(st.integers(1, 12))):
        seats = draw(st.sampled_from((2, 3, 4)))
        players = tuple(draw(st.permutations(range(versions)))[:seats])
        places = []
        for _ in range(seats):
            ranks = draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
            places.append(tuple(1 + sum(other < own for other in ranks) for own in ranks))
        blocks.append(mirrored(players, *places))
    return blocks


def played(bots=40, blocks=900, seed=1, **how):
    """Return a small world, and blocks at random tables of all sizes."""
    world = world_of(bots, seed, **how)
    rng = np.random.default_rng(seed)
    tables = {
        seats: rng.random((blocks // 3, bots)).argsort(axis=1)[:, :seats].astype(np.int32)
        for seats in (2, 3, 4)
    }
    return world, world.play(tables, rng)


def scale_of(world):
    """Return three anchors, far apart, at their true strength."""
    order = np.argsort(world.elo)
    at = [int(order[len(order) * part // 10]) for part in (1, 5, 9)]
    return Scale({version: float(world.elo[version]) for version in at})


def test_two_versions_differ_by_the_score_of_their_blocks():
    even = [mirrored((0, 1), WON, LOST), mirrored((0, 1), LOST, WON)]
    blocks = even * 35 + [mirrored((0, 1), WON, WON)] * 30
    ratings = rate(History.of(blocks * 20), 2, Scale({1: 1500.0}))
    assert ratings.elo[0] - 1500 == pytest.approx(400 * math.log10(0.65 / 0.35), abs=0.5)


def test_the_interval_is_that_of_a_local_series():
    even = [mirrored((0, 1), WON, LOST), mirrored((0, 1), LOST, WON)]
    blocks = even * 35 + [mirrored((0, 1), WON, WON)] * 30
    ratings = rate(History.of(blocks), 2, Scale({1: 1500.0}))
    local = elo_estimate({0.5: 70, 1.0: 30})
    assert ratings.elo[0] - 1500 == pytest.approx(local.value, abs=0.5)
    assert ratings.high[0] - ratings.low[0] == pytest.approx(local.high - local.low, rel=0.03)


def test_strengths_are_the_greatest_of_the_likelihood():
    """Compared with a plain sum over all games, maximised by another method."""
    _, history = played(bots=6, blocks=60)
    ratings = rate(history, 6)
    found = (ratings.elo - 1500) / ELO_PER_LOGIT
    turns = {n: np.array(elo) / ELO_PER_LOGIT for n, elo in ratings.turns.items()}
    best = _plain_likelihood(history, found, turns)
    for version in range(6):
        for step in (-0.01, 0.01):
            moved = found.copy()
            moved[version] += step
            assert _plain_likelihood(history, moved, turns) < best


def _plain_likelihood(history, strength, turns):
    total = 0.0
    for table in history.tables.values():
        for block, when, places in zip(table.block, table.turns, table.places, strict=True):
            ability = np.exp(strength[table.players[block]] + turns[table.seats][when])
            orders = [
                order
                for order in itertools.permutations(range(table.seats))
                if all(places[a] <= places[b] for a, b in itertools.pairwise(order))
            ]
            for order in orders:
                for place in range(table.seats - 1):
                    rest = ability[list(order[place:])]
                    total += math.log(rest[0] / rest.sum()) / len(orders)
    drawn = -np.logaddexp(0, strength) - np.logaddexp(0, -strength)
    return total + PHANTOM_GAMES / 2 * drawn.sum()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_known_strengths_come_out_again(seats):
    world, history = played(blocks=6000)
    ratings = rate(history.only(seats), len(world), scale_of(world))
    assert np.corrcoef(ratings.elo, world.elo)[0, 1] > 0.99
    off = (ratings.elo - world.elo)[ratings.error > 0] / ratings.error[ratings.error > 0]
    assert 0.6 < np.sqrt(np.mean(off**2)) < 1.5


def test_the_advantage_of_the_first_turn_comes_out_again():
    world, history = played(blocks=9000)
    turns = rate(history, len(world)).turns
    for seats, advantage in world.advantages.items():
        expected = ELO_PER_LOGIT * (advantage - advantage.mean())
        assert turns[seats] == pytest.approx(expected, abs=8)


def test_anchors_stay_where_they_are():
    world, history = played()
    anchors = {3: 1234.5, 17: 1876.25}
    ratings = rate(history, len(world), Scale(anchors))
    for version, elo in anchors.items():
        assert ratings.elo[version] == ratings.low[version] == ratings.high[version] == elo


def test_moving_the_anchors_moves_all():
    world, history = played()
    one = rate(history, len(world), Scale({3: 1200.0, 17: 1700.0}))
    other = rate(history, len(world), Scale({3: 1300.0, 17: 1800.0}))
    assert other.elo - one.elo == pytest.approx(np.full(len(world), 100.0), abs=1e-6)
    assert other.error == pytest.approx(one.error, abs=1e-6)


def test_without_anchors_intervals_are_relative_to_the_mean_of_the_field():
    widths, inside = [], []
    for seed in range(20):
        world, rng = world_of(24, seed, spread=200.0), np.random.default_rng(seed)
        tables = {2: rng.random((300, 24)).argsort(axis=1)[:, :2].astype(np.int32)}
        history = world.play(tables, rng)
        free = rate(history, 24)
        order = np.argsort(world.elo)[[1, 8, 15, 22]]
        held = rate(history, 24, Scale({int(at): float(world.elo[at]) for at in order}))
        widths.append((np.median(free.high - free.low), np.median(held.high - held.low)))
        distance = free.elo - free.elo.mean() - (world.elo - world.elo.mean())
        inside.append(np.mean(np.abs(distance) <= (free.high - free.low) / 2))
    free_width, held_width = np.median(widths, axis=0)
    assert free_width < 1.1 * held_width
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)


def test_centred_errors_of_a_large_field_are_those_of_a_small_one():
    """The mean of all and the mean of a sample hardly differ."""
    world, rng = world_of(700, 1), np.random.default_rng(1)
    tables = {2: rng.random((9000, 700)).argsort(axis=1)[:, :2].astype(np.int32)}
    ratings = rate(world.play(tables, rng), 700)
    everyone = np.arange(700, dtype=np.int32)
    whole = ratings.covariance.between(everyone, everyone)
    assert np.diag(whole) == pytest.approx(ratings.covariance.variances)
    assert np.sqrt(abs(whole.mean())) < 0.05 * np.sqrt(np.median(np.diag(whole)))


def test_a_distant_anchor_does_not_pull_the_field():
    """The field is 1000 Elo above its only anchor, and hardly ever plays it."""
    world = world_of(60, 2, spread=100)
    world.strength[1:] += 1000 / ELO_PER_LOGIT
    rng = np.random.default_rng(2)
    field = 1 + rng.random((3000, 59)).argsort(axis=1)[:, :2].astype(np.int32)
    field[:600, 0] = 0
    history = world.play({2: field}, rng)
    ratings = rate(history, 60, Scale({0: world.elo[0]}))
    offset = np.mean((ratings.elo - world.elo)[1:])
    assert abs(offset) < np.mean((ratings.high - ratings.low)[1:])


@given(histories())
@examples(40)
def test_the_order_of_blocks_does_not_matter(blocks):
    one, other = rate(History.of(blocks), 5), rate(History.of(blocks[::-1]), 5)
    assert other.elo == pytest.approx(one.elo, abs=1e-6)
    assert other.low == pytest.approx(one.low, abs=1e-6)


@given(histories(), st.permutations(range(5)))
@examples(40)
def test_names_do_not_matter(blocks, names):
    renamed = [Block(tuple(names[at] for at in block.players), block.games) for block in blocks]
    one, other = rate(History.of(blocks), 5), rate(History.of(renamed), 5)
    assert other.elo[names] == pytest.approx(one.elo, abs=1e-6)
    assert other.high[names] == pytest.approx(one.high, abs=1e-6)


@given(histories())
@examples(40)
def test_the_seats_within_a_block_are_only_a_way_of_writing(blocks):
    turned = [
        Block(
            block.players[::-1],
            tuple(Game(game.turns[::-1], game.places[::-1]) for game in block.games),
        )
        for block in blocks
    ]
    one, other = rate(History.of(blocks), 5), rate(History.of(turned), 5)
    assert other.elo == pytest.approx(one.elo, abs=1e-6)
    assert other.low == pytest.approx(one.low, abs=1e-6)


@given(histories())
@examples(40)
def test_everything_is_finite(blocks):
    for _ in range(2):
        ratings = rate(History.of(blocks), 6, Scale({0: 1500.0}))
        assert np.isfinite(ratings.elo).all()
        assert np.isfinite(ratings.low).all()
        assert (ratings.low <= ratings.elo).all()
        assert (ratings.elo <= ratings.high).all()
        blocks = blocks * 30  # equally one-sided, but with more blocks


@given(histories())
@examples(30)
def test_where_the_search_begins_does_not_matter(blocks):
    history = History.of(blocks)
    cold = rate(history, 5)
    start = rate(History.of([mirrored((4, 0), WON, WON)] * 9), 5)
    warm = rate(history, 5, start=start)
    assert warm.elo == pytest.approx(cold.elo, abs=1e-6)


def test_a_shared_place_is_half_a_win():
    halves = [mirrored((0, 1), WON, LOST), mirrored((0, 1), LOST, WON)]
    ties = [mirrored((0, 1), TIED, TIED)] * 2
    rest = [mirrored((0, 1), WON, WON)] * 3
    one = rate(History.of(halves + rest), 2, Scale({0: 1500.0}))
    other = rate(History.of(ties + rest), 2, Scale({0: 1500.0}))
    assert other.elo[1] == pytest.approx(one.elo[1], abs=1e-6)


def test_all_tied_gives_equal_ratings():
    blocks = [mirrored((0, 1, 2, 3), *[(1, 1, 1, 1)] * 4)] * 10
    ratings = rate(History.of(blocks), 4)
    assert ratings.elo == pytest.approx(np.full(4, 1500.0), abs=1e-6)


def test_more_blocks_of_a_kind_narrow_the_interval():
    blocks = [mirrored((0, 1), WON, LOST), mirrored((0, 1), WON, WON)]
    widths = [
        float(np.ptp([ratings.low[0], ratings.high[0]]))
        for times in (1, 2, 4, 16, 64)
        for ratings in [rate(History.of(blocks * times), 2, Scale({1: 1500.0}))]
    ]
    assert widths == sorted(widths, reverse=True)


def test_mirrored_copies_of_one_bot_are_known_to_be_equal():
    """Identical bots share every block; there is no variance, and the interval shows it."""
    even = [mirrored((0, 1), WON, LOST), mirrored((0, 1), LOST, WON)]
    same = rate(History.of(even * 500), 2, Scale({0: 1500.0}))
    luck = [mirrored((0, 1), WON, WON), mirrored((0, 1), LOST, LOST)] * 500
    other = rate(History.of(luck), 2, Scale({0: 1500.0}))
    assert same.error[1] < other.error[1] / 2


def test_each_size_of_table_has_ratings_of_its_own():
    blocks = [mirrored((0, 1), WON, WON)] * 20 + [
        mirrored((0, 1, 2), (3, 1, 2), (3, 1, 2), (3, 1, 2))
    ] * 20
    by_seats = rate_by_seats(History.of(blocks), 3)
    assert list(by_seats) == [2, 3]
    assert by_seats[2].elo[0] > by_seats[2].elo[1]
    assert by_seats[3].elo[0] < by_seats[3].elo[1]


def season(blocks, chance):
    """Return blocks of six versions, each slightly stronger than the previous one."""
    made = []
    for number in range(blocks):
        seats = 2 + number % 3
        players = tuple(sorted(range(6), key=lambda _: chance.random())[:seats])
        places = []
        for _ in range(seats):
            luck = [-math.log(-math.log(chance.random())) for _ in players]
            marks = [0.4 * player + luck[at] for at, player in enumerate(players)]
            places.append(tuple(1 + sum(other > own for other in marks) for own in marks))
        made.append(mirrored(players, *places))
    return made


def test_a_short_season_has_the_numbers_that_it_always_had():
    """A change of these numbers changes all ratings, and must be explained in docs/ratings.md."""
    chance = random.Random("a short season")
    ratings = rate(History.of(season(30, chance)), 6, Scale({0: 1000.0}))
    online = Online.after(ratings)
    for block in season(3, chance):
        online.absorb(History.of([block]))
    first = first_probability(
        posterior(ratings, np.arange(6, dtype=np.int32)), np.arange(6, dtype=np.int32)
    )
    assert first == pytest.approx([0, 0, 0.01, 0, 0.085, 0.90], abs=0.015)
    found = (ratings.elo, ratings.low, ratings.high, online.elo, online.error)
    assert np.array(found) == pytest.approx(
        np.array(
            [
                [1000.0, 1062.6, 1222.5, 1185.5, 1278.6, 1382.1],
                [1000.0, 905.9, 1079.1, 1056.0, 1100.6, 1211.9],
                [1000.0, 1219.2, 1365.9, 1314.9, 1456.5, 1552.3],
                [1000.0, 1095.4, 1211.0, 1185.9, 1253.7, 1385.2],
                [0.0, 70.3, 64.6, 61.4, 74.3, 76.7],
            ]
        ),
        abs=0.1,
    )


@pytest.mark.parametrize(("per_bot", "least", "most"), [(6, 0.93, 0.99), (40, 0.92, 0.985)])
def test_intervals_contain_the_truth(per_bot, least, most):
    inside = []
    for seed in range(10):
        world, history = played(bots=50, blocks=50 * per_bot // 3, seed=seed)
        ratings = rate(history, len(world), scale_of(world))
        hits = (ratings.low <= world.elo) & (world.elo <= ratings.high)
        inside.append(np.mean(hits[ratings.error > 0]))
    assert least <= np.mean(inside) <= most


def test_errors_count_clusters():
    """With shared luck within a block, its games are less informative than independent ones."""
    world, loose = played(bots=20, blocks=3000, form=0.0, seat_luck=0.0)
    _, tight = played(bots=20, blocks=3000, form=0.6, seat_luck=0.0)
    errors = [np.median(rate(history, 20, scale_of(world)).error) for history in (tight, loose)]
    assert errors[0] > 1.2 * errors[1]


@pytest.mark.parametrize(
    "blocks",
    [
        [Block((0,), ())],
        [Block((0, 1), (Game((0, 0), (1, 2)),))],
        [Block((0, 1), (Game((0, 1), (0, 1)),))],
        [Block((0, 1), (Game((0, 1, 2), (1, 2, 3)),))],
        [Block((0, 9), (Game((0, 1), (1, 2)),))],
    ],
)
def test_nonsense_is_refused(blocks):
    with pytest.raises(ValueError, match=r"."):
        rate(History.of(blocks), 3)


PRINTED = """
import numpy as np
from damrak_ladder.ratings import Scale, bands, first_probability, posterior, rate
from damrak_ladder.simulation.world import world_of
rng = np.random.default_rng(3)
world = world_of(120, 3)
tables = {n: rng.random((400, 120)).argsort(axis=1)[:, :n].astype(np.int32) for n in (2, 3, 4)}
ratings = rate(world.play(tables, rng), 120, Scale({0: 1400.0}))
everyone = np.arange(120, dtype=np.int32)
list_ = bands(posterior(ratings, everyone), everyone)
for at in range(120):
    print(f"{ratings.elo[at]:.3f} {ratings.low[at]:.3f} {ratings.high[at]:.3f}", list_.band[at])
print(first_probability(posterior(ratings, everyone), everyone))
"""


@pytest.mark.process
def test_the_printed_numbers_are_the_same_with_other_threads():
    def printed(threads):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = os.environ | dict.fromkeys(names, threads)
        command = [sys.executable, "-c", PRINTED]
        return subprocess.run(command, capture_output=True, check=True, env=environment).stdout

    assert printed("1") == printed("2") != b""


@pytest.mark.parametrize("anchors", [{}, {0: 1400.0}])
def test_before_the_first_block_nothing_is_known(anchors):
    ratings = rate(History.of([]), 3, Scale(anchors))
    assert ratings.elo == pytest.approx(np.full(3, 1400.0 if anchors else 1500.0))
    assert (ratings.high - ratings.low)[1:].min() > 1000
    everyone = np.arange(3, dtype=np.int32)
    assert bands(posterior(ratings, everyone), everyone).band.tolist() == [1, 1, 1]
    assert len(bands(posterior(ratings, everyone), everyone[:0]).band) == 0
    assert first_probability(posterior(ratings, everyone), everyone) == pytest.approx(
        np.full(3, 1 / 3), abs=0.02
    )
