"""Knockout forecasts: probabilities add up, and agree with random simulations."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from damrak_ladder.standings.fit.knockout import forecast, seeding
from damrak_statistics.block_scores import score_of

FIELDS = st.sampled_from([2, 4, 8, 16]).flatmap(
    lambda size: st.lists(
        st.tuples(st.integers(-3000, 4000), st.integers(0, 900)), min_size=size, max_size=size
    )
)


def foretold(elos, errors):
    """Return the forecast for independent normal errors."""
    draws = np.random.default_rng(1625).standard_normal((512, len(elos)))
    return forecast(np.asarray(elos) + np.concatenate([draws, -draws]) * np.asarray(errors))


@given(FIELDS)
def test_each_duel_of_a_round_has_one_winner(field):
    found = foretold(*zip(*field, strict=True))
    for number, duels in enumerate(found.rounds):
        chances = [past[number] for past in found.past]
        assert sum(chances) == pytest.approx(len(duels))
    for past in found.past:
        assert all(0 <= later <= sooner + 1e-9 <= 1 + 2e-9 for sooner, later in pairwise(past))


@given(FIELDS)
def test_the_bracket_matches_the_table(field):
    found = foretold(*zip(*field, strict=True))
    size = len(field)
    first = [slot.seed for duel in found.rounds[0] for slot in duel]
    assert first == seeding(size)
    for number, duels in enumerate(found.rounds):
        slots = [slot for duel in duels for slot in duel]
        width = size // len(slots)
        for at, slot in enumerate(slots):
            below = first[at * width : (at + 1) * width]
            came = {seed: found.past[seed][number - 1] if number else 1.0 for seed in below}
            assert came[slot.seed] == max(came.values())
            assert slot.chance == found.past[slot.seed][number]


@pytest.mark.parametrize("size", [2, 4, 8, 16, 32])
def test_favourites_meet_in_the_next_round_if_they_win(size):
    seeds = seeding(size)
    assert sorted(seeds) == list(range(size))
    while len(seeds) > 1:
        assert {one + other for one, other in zip(seeds[::2], seeds[1::2], strict=True)} == {
            len(seeds) - 1
        }
        seeds = [min(duel) for duel in zip(seeds[::2], seeds[1::2], strict=True)]


def test_two_of_known_strength_have_the_chances_of_elo():
    found = foretold([1700, 1500], [0, 0])
    assert found.past == ((pytest.approx(score_of(200)),), (pytest.approx(1 - score_of(200)),))


def test_uncertain_strengths_move_forecasts_to_the_middle():
    sure = foretold([1700, 1500], [10, 10])
    unsure = foretold([1700, 1500], [300, 300])
    assert 0.5 < unsure.past[0][0] < sure.past[0][0] - 0.05


def test_it_agrees_with_simulated_knockouts():
    chance = random.Random(7)
    elos, errors = (
        [1800, 1740, 1650, 1600, 1590, 1500, 1450, 1300],
        [30, 90, 40, 160, 20, 70, 0, 55],
    )
    won, finals, times = [0] * 8, [0] * 8, 20_000
    for _ in range(times):
        true = [chance.gauss(*of) for of in zip(elos, errors, strict=True)]
        left = seeding(8)
        while len(left) > 1:
            if len(left) == 2:
                for one in left:
                    finals[one] += 1
            left = [
                one if chance.random() < score_of(true[one] - true[other]) else other
                for one, other in zip(left[::2], left[1::2], strict=True)
            ]
        won[left[0]] += 1
    found = foretold(elos, errors)
    for seed, past in enumerate(found.past):
        assert past[1] == pytest.approx(finals[seed] / times, abs=0.02)
        assert past[2] == pytest.approx(won[seed] / times, abs=0.02)
