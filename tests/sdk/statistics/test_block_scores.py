"""Elo intervals have the stated coverage, and the sequential test the stated error rates."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from damrak_statistics.block_scores import Sprt, comparisons, elo_estimate, elo_of, score_of

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
series = st.dictionaries(st.sampled_from(SCORES), st.integers(1, 500), min_size=1)


def pairs(rng: random.Random, score: float, number: int, alike: float = 0.5) -> list[float]:
    """Return scores of mirrored blocks, whose two games are equal with probability `alike`."""
    drawn = 0.02
    wins = (score - drawn / 2) / (1 - drawn)

    def game() -> float:
        return 0.5 if rng.random() < drawn else float(rng.random() < wins)

    scores = []
    for _ in range(number):
        first = game()
        scores.append((first + (first if rng.random() < alike else game())) / 2)
    return scores


@given(st.lists(st.integers(1, 4), min_size=2, max_size=4))
def test_half_points_of_a_game_add_up(places: list[int]) -> None:
    seats = len(places)
    assert sum(comparisons(places)) == seats * (seats - 1)


@pytest.mark.parametrize(
    ("places", "half_points"),
    [((1, 2), [2, 0]), ((1, 1), [1, 1]), ((2, 1, 3), [2, 4, 0]), ((1, 1, 3, 4), [5, 5, 2, 0])],
)
def test_half_points_compare_places_pair_by_pair(
    places: tuple[int, ...], half_points: list[int]
) -> None:
    assert comparisons(places) == half_points


@given(st.floats(-1500, 1500))
def test_score_and_elo_are_inverse(elo: float) -> None:
    assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-6)


@given(series)
def test_estimate_mirrors_at_zero(blocks: dict[float, int]) -> None:
    ours = elo_estimate(blocks)
    theirs = elo_estimate({1 - score: times for score, times in blocks.items()})
    assert (ours.value, ours.low, ours.high) == pytest.approx(
        (-theirs.value, -theirs.high, -theirs.low), abs=1e-6
    )


@given(series)
def test_estimate_is_finite_and_inside_its_interval(blocks: dict[float, int]) -> None:
    estimate = elo_estimate(blocks)
    assert all(map(math.isfinite, (estimate.low, estimate.value, estimate.high)))
    assert estimate.low < estimate.value < estimate.high


@given(series, st.integers(2, 20))
def test_more_of_the_same_makes_the_interval_narrower(blocks: dict[float, int], k: int) -> None:
    few, many = elo_estimate(blocks), elo_estimate({s: k * times for s, times in blocks.items()})
    assert many.high - many.low < few.high - few.low


@given(series)
def test_a_block_won_raises_the_estimate(blocks: dict[float, int]) -> None:
    assert elo_estimate(Counter(blocks) + Counter([1.0])).value > elo_estimate(blocks).value


def test_no_estimate_without_a_block() -> None:
    with pytest.raises(ValueError, match="no block"):
        elo_estimate({})


@pytest.mark.parametrize("alike", [0.0, 1.0])
@pytest.mark.parametrize("score", [0.5, 0.8, 0.97])
@pytest.mark.parametrize("number", [3, 10, 40])
def test_interval_has_the_stated_coverage(number: int, score: float, alike: float) -> None:
    rng = random.Random(f"{number} {score} {alike}")
    trials = 400
    truth = elo_of(score)
    covered = 0
    for _ in range(trials):
        estimate = elo_estimate(Counter(pairs(rng, score, number, alike)))
        covered += estimate.low <= truth <= estimate.high
    noise = 3 * math.sqrt(0.95 * 0.05 / trials)
    assert covered / trials >= 0.95 - noise


@pytest.mark.parametrize(("blocks", "at_least"), [(8, 0), (10, 80), (50, 350), (400, 750)])
def test_winning_all_blocks_proves_more_with_more_blocks(blocks: int, at_least: int) -> None:
    estimate = elo_estimate({1.0: blocks})
    assert at_least < estimate.low
    assert estimate.low < elo_of(1 - 1 / blocks) < estimate.high


def test_interval_of_many_blocks_is_not_wider_than_need_be() -> None:
    rng = random.Random(5)
    scores = pairs(rng, 0.6, 2000, alike=0.0)
    estimate = elo_estimate(Counter(scores))
    slope = 400 / math.log(10) / (0.6 * 0.4)
    exact = 1.96 * math.sqrt(0.6 * 0.4 / 4000) * slope
    assert (estimate.high - estimate.low) / 2 == pytest.approx(exact, rel=0.05)


# ---- the sequential test -----------------------------------------------------------------------


def run(test: Sprt, rng: random.Random, elo: float, alike: float) -> tuple[str, int]:
    """Return the verdict on a bot of this strength, and the number of blocks until then."""
    blocks: Counter[float] = Counter()
    while True:
        blocks.update(pairs(rng, score_of(elo), 1, alike))
        verdict = test.verdict(test.llr(blocks))
        if verdict:
            return verdict, blocks.total()


@pytest.mark.parametrize("alike", [0.0, 0.6])
@pytest.mark.parametrize(("elo0", "elo1"), [(0.0, 100.0), (-60.0, 60.0), (100.0, 200.0)])
def test_error_rates_are_as_asked_for(elo0: float, elo1: float, alike: float) -> None:
    rng = random.Random(f"{elo0} {elo1} {alike}")
    test = Sprt(elo0, elo1)
    trials = 150
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)
    wrongly_passed = sum(run(test, rng, elo0, alike)[0] == "H1" for _ in range(trials))
    wrongly_failed = sum(run(test, rng, elo1, alike)[0] == "H0" for _ in range(trials))
    assert wrongly_passed / trials <= limit
    assert wrongly_failed / trials <= limit


def test_clear_cases_are_decided_sooner() -> None:
    rng = random.Random(3)
    test = Sprt(0, 50)
    close = sum(run(test, rng, 50, 0.5)[1] for _ in range(20))
    clear = sum(run(test, rng, 300, 0.5)[1] for _ in range(20))
    assert 3 * clear < close


@given(series, st.floats(-300, 290), st.floats(5, 300))
def test_ratio_mirrors_at_zero(blocks: dict[float, int], elo0: float, more: float) -> None:
    elo1 = elo0 + more
    mirrored = {1 - score: times for score, times in blocks.items()}
    ours = Sprt(elo0, elo1).llr(blocks)
    assert ours == pytest.approx(-Sprt(-elo1, -elo0).llr(mirrored), rel=1e-5, abs=1e-5)


@given(series)
def test_ratio_has_the_sign_of_the_nearer_hypothesis(blocks: dict[float, int]) -> None:
    total = sum(blocks.values())
    mean = sum(score * times for score, times in blocks.items()) / total
    llr = Sprt(-100, 100).llr(blocks)
    if abs(mean - 0.5) > 0.05:  # closer to the middle, the skew of the scores decides
        assert (llr > 0) == (mean > 0.5)


def test_no_games_give_no_numbers() -> None:
    test = Sprt(0, 10)
    assert test.llr({}) == 0
    assert test.verdict(0) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"elo0": 10, "elo1": 10},
        {"elo0": 10, "elo1": 0},
        {"elo1": math.nan},
        {"elo1": 10_000},
        {"elo0": -math.inf},
        {"alpha": 0},
        {"beta": 0.5},
    ],
)
def test_meaningless_tests_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        Sprt(**({"elo0": 0, "elo1": 10} | wrong))
