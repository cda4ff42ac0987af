"""Forecasts of tests: the expected number of remaining blocks, and their duration."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db.models import Avg, Count, DurationField, F

from damrak_ladder.matches.durations import ladders_with_blocks, seconds_per_game
from damrak_ladder.matches.flows import BURST, owner_flow, weights_of
from damrak_ladder.matches.models import Attempt, Block, BlockState, Outcome
from damrak_ladder.pipeline.queue.capacity import places
from damrak_ladder.trials.demand import wishes
from damrak_ladder.trials.models import Trial, TrialState
from damrak_ladder.trials.trials import SEATS, scores_by_trial, sprt_of
from damrak_statistics.block_scores import BlockScores, Sprt, score_of

OWN_BLOCKS: Final = 4
"""From this many blocks on, a test's own pace is used; before that, its ladder's."""

_PRIOR_BLOCKS: Final = 8.0  # with the spread of independent games
_LEAD_BLOCKS: Final = 8  # from which on the lead so far is one of the cases
_FLAT: Final = 1e-6
_STEEPEST: Final = 50.0  # beyond which only one bound is ever reached


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expected remainder of a running test, if the queue stays as it is.

    The lower figures hold if the lead is one of the two hypotheses of the test, or the one seen so
    far if that is quicker; the higher ones if it lies between the two.
    """

    blocks_low: int
    blocks_high: int
    seconds_low: float
    seconds_high: float
    seconds_per_block: float
    share: float  # of the capacity


def forecasts(trials: Collection[Trial], now: datetime) -> dict[int, Forecast]:
    """Return the forecast of each of these tests, by primary key.

    A test is left out if it has ended, no host is available, or no duration has been measured yet.
    """
    running = [trial for trial in trials if trial.state == TrialState.RUNNING]
    there = places(now) if running else []
    workers = sum(place.host.workers for place in there)
    if not workers:
        return {}
    scores = scores_by_trial(running)
    shares = _shares(running)
    paces = _seconds_per_block(running)
    found = {}
    for trial in running:
        games = SEATS * trial.ladder.rotations
        seconds = paces[trial.pk]
        if seconds is not None:
            share = shares[trial.owner_id]
            pace = _blocks_per_second(workers * share / seconds, share, games)
            low, high = expected_blocks(sprt_of(trial), scores[trial.pk], games, trial.most)
            found[trial.pk] = Forecast(low, high, low / pace, high / pace, seconds, share)
    return found


def expected_blocks(test: Sprt, scores: BlockScores, games: int, most: int) -> tuple[int, int]:
    """Return the fewest and the most blocks that a test still needs on average.

    The log-likelihood ratio is modelled as a random walk with normal steps (Wald), with the spread
    of the block scores seen so far.
    """
    played = sum(scores.values())
    low, high = score_of(test.elo0), score_of(test.elo1)
    mean, spread = _mean_and_spread(scores, games)
    step = (high - low) / spread
    means = [low, (low + high) / 2, high]
    if played >= _LEAD_BLOCKS:
        means.append(mean)
    at = min(max(test.llr(scores), test.lower), test.upper)
    walks = [
        _expected_steps((one - (low + high) / 2) * step, (high - low) * step, at, test)
        for one in means
    ]
    left = max(0, most - played)
    return tuple(min(left, max(1, math.ceil(one))) for one in (min(walks), max(walks)))  # type: ignore[return-value]


def _mean_and_spread(scores: BlockScores, games: int) -> tuple[float, float]:
    """Return the mean and variance of block scores, with a prior of a few independent blocks."""
    played = sum(scores.values())
    mean = sum(one * count for one, count in scores.items()) / played if played else 0.5
    squares = sum(count * (one - mean) ** 2 for one, count in scores.items())
    return mean, (squares + _PRIOR_BLOCKS / (4 * games)) / (played + _PRIOR_BLOCKS)


def _expected_steps(drift: float, variance: float, at: float, test: Sprt) -> float:
    """Return the mean number of steps of a random walk from here to a bound of the test."""
    below, width = at - test.lower, test.upper - test.lower
    if abs(2 * drift * width / variance) < _FLAT:
        return below * (width - below) / variance
    tilt = max(-_STEEPEST, min(_STEEPEST, 2 * drift * width / variance)) / width
    reaches = math.expm1(-tilt * below) / math.expm1(-tilt * width)
    return (reaches * width - below) / drift


def _seconds_per_block(trials: Sequence[Trial]) -> dict[int, float | None]:
    """Return the mean duration of a block of each test, or None if no duration is known.

    The number of queries depends on the number of ladders only.
    """
    recorded = Attempt.objects.filter(block__trial_block__trial__in=trials)
    recorded = recorded.filter(outcome=Outcome.RECORDED, ended__isnull=False)
    took = Avg(F("ended") - F("started"), output_field=DurationField())
    rows = (
        recorded.order_by()
        .values_list("block__trial_block__trial")
        .annotate(blocks=Count("pk"), took=took)
    )
    own = {trial: mean.total_seconds() for trial, blocks, mean in rows if blocks >= OWN_BLOCKS}
    ladders = {trial.ladder_id for trial in trials}
    played = set(ladders_with_blocks(ladders))
    games = seconds_per_game(ladders)
    found: dict[int, float | None] = {}
    for trial in trials:
        usual = SEATS * trial.ladder.rotations * games[trial.ladder_id]
        found[trial.pk] = own.get(trial.pk, usual if trial.ladder_id in played else None)
    return found


def _blocks_per_second(pace: float, share: float, games: int) -> float:
    limit = settings.DAMRAK_GAMES_PER_MINUTE
    return pace if limit is None else min(pace, limit / 60 * share / games)


def _shares(trials: Sequence[Trial]) -> Mapping[int, float]:
    """Return the share of the machine that one test of each owner gets."""
    active = Block.objects.filter(state__in=[BlockState.WAITING, BlockState.RUNNING])
    flows = set(active.order_by().values_list("flow", flat=True).distinct()) - {BURST}
    together = Counter(wish.owner_id for wish in wishes())
    flows |= {owner_flow(owner) for owner in together}
    weights = weights_of(flows)
    total = sum(weights.values())
    return {
        owner: weights[owner_flow(owner)] / total / max(1, together[owner])
        for owner in {trial.owner_id for trial in trials}
    }
