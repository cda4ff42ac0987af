"""The expected duration of a test, from its blocks, the pace and the share."""

from __future__ import annotations

import random
from datetime import timedelta
from statistics import mean

import pytest
from django.test import override_settings
from hypothesis import given, strategies as st

from damrak_ladder.matches.entries import seat_house
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.pipeline.queue.trial_forecast import expected_blocks, forecasts
from damrak_ladder.trials.trials import Bounds, cancel, start
from damrak_statistics.block_scores import Sprt, score_of
from ladder.bot_versions import some_bot, some_version
from ladder.flow import Player, rounds, some_host
from ladder.ladders import some_ladder
from ladder.people import NOW
from ladder.visitors import page, visitor

alone = pytest.mark.usefixtures("database")


def series(test: Sprt, elo: float, chance: random.Random) -> int:
    """Return the number of two-game blocks that a test takes with this lead."""
    scores: dict[float, int] = {}
    share = score_of(elo)
    blocks = 0
    while test.verdict(test.llr(scores)) is None:
        score = sum(chance.random() < share for _ in range(2)) / 2
        scores[score] = scores.get(score, 0) + 1
        blocks += 1
    return blocks


@pytest.mark.parametrize("bounds", [(0.0, 80.0), (-20.0, 60.0)])
def test_expected_blocks_are_what_series_take(bounds: tuple[float, float]) -> None:
    test = Sprt(*bounds)
    low, high = expected_blocks(test, {}, 2, 100_000)
    chance = random.Random(5)
    at_bound = mean(series(test, bounds[1], chance) for _ in range(60))
    between = mean(series(test, sum(bounds) / 2, chance) for _ in range(60))
    assert low == pytest.approx(at_bound, rel=0.3)
    assert high == pytest.approx(between, rel=0.3)


def test_expected_blocks_shrink_with_evidence_and_are_bounded() -> None:
    test = Sprt(0, 30)
    fresh = expected_blocks(test, {}, 4, 1000)
    ahead = expected_blocks(test, {1.0: 20, 0.75: 20, 0.5: 10}, 4, 1000)
    assert ahead[0] < fresh[0]
    assert expected_blocks(test, {0.0: 45, 1.0: 45}, 4, 100)[1] == 10
    assert expected_blocks(test, {0.5: 100}, 4, 100) == (0, 0)


@given(
    st.dictionaries(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.integers(1, 3000), max_size=5),
    st.tuples(st.integers(-1000, 900), st.integers(1, 100)),
    st.integers(1, 5000),
)
def test_expected_blocks_are_ordered_and_bounded_for_any_scores(
    scores: dict[float, int], bounds: tuple[int, int], most: int
) -> None:
    test = Sprt(bounds[0], sum(bounds))
    low, high = expected_blocks(test, scores, 4, most)
    assert 0 <= low <= high <= max(0, most - sum(scores.values()))


@alone
def test_forecast_follows_places_shares_and_measured_blocks() -> None:
    bot = some_bot()
    old, new = (some_version(bot, spec) for spec in ("one", "two"))
    ladder = some_ladder(house=["random", "greedy"], rotations=2)
    trial = start(bot.owner, new, old, ladder, Bounds(), NOW)
    assert forecasts([trial], NOW) == {}  # no host
    host = some_host(workers=2)
    assert forecasts([trial], NOW) == {}  # nothing measured
    seat_house(ladder, NOW)
    now = rounds(Player(takes=timedelta(seconds=40)), 6)
    now -= timedelta(seconds=2)
    (first,) = forecasts([trial], now).values()
    assert first.seconds_per_block == pytest.approx(40)
    assert first.share == pytest.approx(1 / 3)  # half of a block of a test for each of the ladder
    assert first.seconds_low == pytest.approx(first.blocks_low * 40 / (2 / 3))
    assert first.blocks_low < first.blocks_high
    host.workers = 4
    host.save()
    (faster,) = forecasts([trial], now).values()
    assert faster.seconds_high == pytest.approx(first.seconds_high / 2)
    start(bot.owner, old, new, ladder, Bounds(), now)
    (shared,) = forecasts([trial], now).values()
    assert shared.share == pytest.approx(1 / 6)
    with override_settings(DAMRAK_GAMES_PER_MINUTE=1):
        (limited,) = forecasts([trial], now).values()
    assert limited.seconds_high > shared.seconds_high
    cancel(trial.pk, now)
    trial.refresh_from_db()
    assert forecasts([trial], now) == {}


@alone
def test_page_and_api_show_the_duration_and_the_faster_way() -> None:
    bot = some_bot()
    old, new = (some_version(bot, spec) for spec in ("one", "two"))
    ladder = some_ladder(rotations=2)
    trial = start(bot.owner, new, old, ladder, Bounds(), NOW)
    ann = visitor(bot.owner)
    assert "cannot be estimated yet" in page(ann, f"/desk/tests/{trial.pk}/")
    from django.utils import timezone

    some_host(workers=2, now=timezone.now())
    rounds(Player(takes=timedelta(seconds=40)), 4, timezone.now())
    assert Block.objects.filter(state=BlockState.RECORDED).exists()
    text = page(ann, f"/desk/tests/{trial.pk}/")
    assert "more blocks of about" in text
    assert "damrak play NEW OLD --sprt 0 30" in text
    assert "damrak play NEW OLD --sprt 0 30" in page(ann, "/desk/tests/")
    assert "The first 8 blocks of a test" in page(ann, "/desk/tests/")
