"""Head-to-head results of versions, compared with the prediction of their ratings.

The unit is the block. An estimate from few blocks is shrunk towards a half by half a block, and its
interval is Wilson's with the observed variance of the blocks: the same estimate as that of `damrak
play` (damrak_statistics.block_scores), from sums instead of a list.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

import numpy as np
from django.db.models import Count
from scipy.special import stdtr, stdtrit

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Meeting, Standing
from damrak_statistics.block_scores import PRIOR_BLOCKS, score_of

Key = TypeVar("Key")

MOST: Final = 50
"""The largest number of versions in a matrix."""

ERROR: Final = 0.05
"""The highest probability that a list of significant results contains a false one."""

_FARTHEST: Final = 25.0
"""The farthest expected score from a half, in logits: it corresponds to 4,300 Elo."""


class Sums(Protocol):
    """The sums over all meetings of two versions: a row of the table of meetings."""

    @property
    def version_id(self) -> int: ...
    @property
    def opponent_id(self) -> int: ...
    @property
    def blocks(self) -> int: ...
    @property
    def games(self) -> int: ...
    @property
    def wins(self) -> int: ...
    @property
    def ties(self) -> int: ...
    @property
    def halves_squared(self) -> int: ...
    @property
    def halves_by_most(self) -> int: ...
    @property
    def most_squared(self) -> int: ...


_SUMS: Final = (
    *("version_id", "opponent_id", "blocks", "games", "wins", "ties"),
    *("halves_squared", "halves_by_most", "most_squared"),
)


@dataclass(frozen=True, slots=True)
class Encounter:
    """The score of one version against another: shares from 0 to 1."""

    version_id: int
    opponent_id: int
    blocks: int
    games: int
    wins: int
    ties: int
    score: float  # observed
    likely: float  # an estimate, shrunk towards a half if blocks are few
    low: float  # of its 95 % interval
    high: float
    error: float  # standard error of `likely`, on the scale of logits
    expected: float | None  # by the published Elo of both

    @property
    def losses(self) -> int:
        """The number of games in which the opponent finished first."""
        return self.games - self.wins - self.ties

    def chance_of(self, score: float) -> float:
        """Return the two-sided p-value of the result if `score` were the true score."""
        distance = abs(_logit(self.likely) - _logit(score)) / self.error
        return float(2 * stdtr(max(1, self.blocks - 1), -distance))


def head_to_head(ladder: Ladder, version: int, opponent: int) -> Encounter | None:
    """Return the results of two versions against each other; None if they never met."""
    row = Meeting.objects.filter(ladder=ladder, version=version, opponent=opponent).first()
    return None if row is None else encounter_of(row, _elos(ladder, [version, opponent]))


def encounter_of(row: Sums, elos: Mapping[int, int]) -> Encounter:
    """Return the estimate that follows from the sums of a meeting."""
    return encounters_of([row], elos)[0]


def encounters_of(rows: Sequence[Sums], elos: Mapping[int, int]) -> list[Encounter]:
    """Return the estimates that follow from the sums of meetings, calculated together."""
    if not rows:
        return []
    wins, ties, games, blocks, squared, by_most, most_squared = np.array(
        [
            (
                *(row.wins, row.ties, row.games, row.blocks),
                *(row.halves_squared, row.halves_by_most, row.most_squared),
            )
            for row in rows
        ],
        dtype=np.float64,
    ).T
    score = (2 * wins + ties) / (2 * games)
    total, half = blocks + PRIOR_BLOCKS, PRIOR_BLOCKS / 2
    likely = (score * blocks + half) / total
    # Blocks with more games have more weight: the variance is that of half points around their
    # share.
    most = 2 * games / blocks
    strayed = squared - 2 * likely * by_most + likely * likely * most_squared
    strayed = np.maximum(0.0, strayed) / most**2
    strayed += half * (likely**2 + (1 - likely) ** 2)
    widest = likely * (1 - likely)  # the variance if every block is won or lost as a whole
    error = np.sqrt(np.minimum(strayed / (total - 1), widest) / total) / widest
    quantile = stdtrit(np.maximum(1, blocks - 1), 0.975)
    reach = 2 * np.arcsinh(quantile * error / 2)
    middle = np.log(likely / (1 - likely))
    low, high = 1 / (1 + np.exp(reach - middle)), 1 / (1 + np.exp(-middle - reach))
    figures = np.array([score, likely, low, high, error]).T.tolist()
    return [
        Encounter(
            version_id=row.version_id,
            opponent_id=row.opponent_id,
            blocks=row.blocks,
            games=row.games,
            wins=row.wins,
            ties=row.ties,
            score=figure[0],
            likely=figure[1],
            low=figure[2],
            high=figure[3],
            error=figure[4],
            expected=_expected(elos.get(row.version_id), elos.get(row.opponent_id)),
        )
        for row, figure in zip(rows, figures, strict=True)
    ]


def _expected(own: int | None, other: int | None) -> float | None:
    return None if own is None or other is None else score_of(own - other)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The head-to-head matrix of the first versions of a list."""

    versions: tuple[int, ...]  # by rank
    encounters: Mapping[tuple[int, int], Encounter]
    cycles: tuple[tuple[int, int, int], ...]  # each beats the next, and the last beats the first


def matrix(ladder: Ladder, top: int = 12, seats: int | None = None) -> Matrix:
    """Return the head-to-head matrix of the first `top` versions of the list, and its cycles."""
    listed = Standing.objects.filter(
        ladder=ladder, seats=ALL if seats is None else seats, rank__lte=min(top, MOST)
    ).order_by("rank")
    elos = dict(listed.values_list("version", "elo"))
    rows = Meeting.objects.filter(ladder=ladder, version__in=elos, opponent__in=elos)
    met = encounters_of(list(rows.values_list(*_SUMS, named=True)), elos)
    found = {(one.version_id, one.opponent_id): one for one in met}
    return Matrix(tuple(elos), found, _cycles(tuple(elos), found))


def _cycles(
    versions: Sequence[int], found: Mapping[tuple[int, int], Encounter]
) -> tuple[tuple[int, int, int], ...]:
    """Return all triples in which each version significantly beats the next.

    Significance is simultaneous: with 95 % probability, none of the wins in the whole matrix is
    called significant by mistake.
    """
    pairs = {key: one for key, one in found.items() if key[0] < key[1]}
    sure = significant({key: one.chance_of(0.5) for key, one in pairs.items()})
    beats: dict[int, set[int]] = {version: set() for version in versions}
    for one, other in sure:
        if pairs[one, other].likely > 0.5:
            beats[one].add(other)
        else:
            beats[other].add(one)
    place = {version: at for at, version in enumerate(versions)}
    return tuple(
        (one, other, third)
        for one in versions
        for other in sorted(beats[one], key=place.__getitem__)
        for third in sorted(beats[other], key=place.__getitem__)
        if one in beats[third] and place[one] < min(place[other], place[third])
    )


@dataclass(frozen=True, slots=True)
class Opponents:
    """The opponents against which a version scores worse, or better, than their Elo predicts."""

    encounters: tuple[Encounter, ...]  # at least the most frequent ones, most blocks first
    nemeses: tuple[Encounter, ...]  # the worst first
    prey: tuple[Encounter, ...]  # the easiest first


def opponents(ladder: Ladder, version: int, most: int) -> Opponents:
    """Return the `most` most frequent opponents of a version, and the unusual ones among all.

    A version that met fifty others did surprisingly well against the luckiest of them, so the
    evidence required for a nemesis or prey grows with the number of opponents.
    """
    met = Meeting.objects.filter(ladder=ladder, version=version)
    numbers = dict(met.values_list("blocks").annotate(number=Count("pk")).order_by())
    enough = met.filter(blocks__gte=_fewest(numbers, most))
    rows = list(enough.values_list(*_SUMS, named=True))
    elos = _elos(ladder, [version, *(row.opponent_id for row in rows)])
    every = sorted(encounters_of(rows, elos), key=lambda one: (-one.blocks, one.opponent_id))
    rated = {one.opponent_id: one for one in every if one.expected is not None}
    odd = significant(_chances(rated.values()), sum(numbers.values()))
    sure = [rated[other] for other in odd]
    return Opponents(
        encounters=tuple(every),
        nemeses=tuple(sorted((one for one in sure if _beyond(one) < 0), key=_beyond)),
        prey=tuple(
            sorted((one for one in sure if _beyond(one) > 0), key=lambda one: -_beyond(one))
        ),
    )


def _fewest(numbers: Mapping[int, int], most: int) -> int:
    """Return the smallest relevant number of blocks, given the number of opponents by their blocks.

    Opponents with fewer blocks are neither among the most frequent nor significant, whatever their
    results. A house bot has met thousands, nearly all of them a few times.
    """
    total, aside = sum(numbers.values()), 0
    for blocks in sorted(numbers):
        aside += numbers[blocks]
        if total - aside < most or _least_chance(blocks) <= ERROR / aside:
            return blocks
    return 0


def _least_chance(blocks: int) -> float:
    """Return a lower bound of the p-values of all results of this many blocks."""
    total, half = blocks + PRIOR_BLOCKS, PRIOR_BLOCKS / 2
    # All blocks have equal size, and half of them are won.
    error = math.sqrt(half / 2 / (total - 1) / total) * 4
    distance = (math.log((blocks + half) / half) + _FARTHEST) / error
    return float(2 * stdtr(max(1, blocks - 1), -distance))


def _chances(rated: Collection[Encounter]) -> dict[int, float]:
    """Return the p-value of the result against each opponent, under the expectation of Elo."""
    of_each = [(one.likely, one.expected, one.error, max(1, one.blocks - 1)) for one in rated]
    if not of_each:
        return {}
    likely, expected, error, freedom = np.array(of_each, dtype=np.float64).T
    distance = np.abs(np.log(likely / (1 - likely)) - np.log(expected / (1 - expected))) / error
    chances = 2 * stdtr(freedom, -distance)
    return dict(zip((one.opponent_id for one in rated), chances.tolist(), strict=True))


def significant(chances: Mapping[Key, float], of: int = 0) -> list[Key]:
    """Return the keys that are significant when all are tested together (Holm's method).

    `of` is the number of all tests, if `chances` omits some that are known not to be significant.
    """
    kept: list[Key] = []
    number = max(of, len(chances))
    for at, (key, chance) in enumerate(sorted(chances.items(), key=lambda item: item[1])):
        if chance > ERROR / (number - at):
            break
        kept.append(key)
    return kept


def _beyond(one: Encounter) -> float:
    return one.likely - (0.5 if one.expected is None else one.expected)


def _elos(ladder: Ladder, versions: Sequence[int]) -> dict[int, int]:
    known = Standing.objects.filter(ladder=ladder, seats=ALL, version__in=versions, blocks__gt=0)
    return dict(known.values_list("version", "elo"))


def _logit(share: float) -> float:
    return math.log(share / (1 - share))
