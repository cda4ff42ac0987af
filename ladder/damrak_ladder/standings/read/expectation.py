"""The expected scores of a block, to find hosts with surprising results.

A host that slows its bots down, or leaks information, moves results away from the prediction of the
ratings. One block is not evidence of that; the residuals of many blocks are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from damrak_ladder.matches.models import Block
from damrak_ladder.ratings.scale import ELO_PER_LOGIT
from damrak_ladder.standings.models import Counted, Fit, Running
from damrak_ladder.standings.packed_blocks import Outcome, unpack
from damrak_statistics.block_scores import comparisons


@dataclass(frozen=True, slots=True)
class Expectation:
    """One version in one block. Scores are shares from 0 to 1, over all games and rivals."""

    version_id: int
    score: float  # observed
    expected: float
    variance: float  # of the score around that if ratings are right, including their uncertainty

    @property
    def residual(self) -> float:
        """The deviation of the score, in standard deviations."""
        return (self.score - self.expected) / math.sqrt(self.variance)


def expected(block: Block) -> tuple[Expectation, ...]:
    """Return the expectation for each version of a counted block, by the running estimates.

    It is empty if the block does not count.
    """
    return expectations([block.pk]).get(block.pk, ())


def expectations(blocks: Iterable[int]) -> dict[int, tuple[Expectation, ...]]:
    """Return the expectations of many blocks, in a few queries: those that count, by key.

    The residuals of one block are dependent (the gain of one player is the loss of another), and
    the estimates already include this block. Over many blocks of a regular host, their mean square
    is near 1.
    """
    rows = list(Counted.objects.filter(pk__in=list(blocks)).order_by("pk"))
    outcomes = {row.pk: unpack(bytes(row.results), bytes(row.points)) for row in rows}
    result = {}
    for ladder in sorted({row.ladder_id for row in rows}):
        mine = {row.pk: outcomes[row.pk] for row in rows if row.ladder_id == ladder}
        players = {one for outcome in mine.values() for one in outcome.block.players}
        known = {
            version: (elo / ELO_PER_LOGIT, error / ELO_PER_LOGIT)
            for version, elo, error in Running.objects.filter(
                ladder=ladder, version__in=players
            ).values_list("version", "elo", "error")
        }
        fit = Fit.objects.filter(ladder=ladder).order_by("-number").first()
        for pk, outcome in mine.items():
            if known.keys() >= set(outcome.block.players):
                result[pk] = _expect(outcome, known, fit)
    return result


def _expect(
    outcome: Outcome, known: dict[int, tuple[float, float]], fit: Fit | None
) -> tuple[Expectation, ...]:
    players, games = outcome.block.players, outcome.block.games
    seats = len(players)
    turns = [0.0] * seats if fit is None else fit.turns.get(str(seats), [0.0] * seats)
    effect = 1.0 if fit is None else fit.effects.get(str(seats), 1.0)
    most = 2 * (seats - 1)
    total = [0.0] * seats
    mean, variance = [0.0] * seats, [0.0] * seats
    for game in games:
        strengths = [
            known[player][0] + turns[turn] / ELO_PER_LOGIT
            for player, turn in zip(players, game.turns, strict=True)
        ]
        for at, (score, spread) in enumerate(chances(strengths)):
            mean[at] += score
            variance[at] += spread
        for at, halves in enumerate(comparisons(game.places)):
            total[at] += halves / most
    count = len(games)
    result = []
    for at, player in enumerate(players):
        about = variance[at] * effect / count**2
        slope = variance[at] / count  # approximate derivative of the expected score by strength
        rivals = sum(known[other][1] ** 2 for other in players if other != player) / (seats - 1)
        about += slope**2 * (known[player][1] ** 2 + rivals)
        result.append(Expectation(player, total[at] / count, mean[at] / count, max(about, 1e-4)))
    return tuple(result)


def chances(strengths: Sequence[float]) -> list[tuple[float, float]]:
    """Return mean and variance of each player's score in one game, by the model of the ratings."""
    seats = len(strengths)
    highest = max(strengths)
    powers = [math.exp(one - highest) for one in strengths]
    means, squares = [0.0] * seats, [0.0] * seats
    for order in itertools.permutations(range(seats)):
        chance, rest = 1.0, sum(powers)
        for player in order:
            chance *= min(1.0, powers[player] / rest)
            rest = max(rest - powers[player], 1e-300)
        for place, player in enumerate(order):
            score = (seats - 1 - place) / (seats - 1)
            means[player] += chance * score
            squares[player] += chance * score * score
    return [
        (mean, max(square - mean * mean, 0.0)) for mean, square in zip(means, squares, strict=True)
    ]
