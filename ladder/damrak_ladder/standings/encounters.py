"""Who does how well against whom, beside what the ratings say.

The unit is the block. An estimate of few blocks is drawn to the middle by half a block, and its
interval is Wilson's with the spread that the blocks had: the same as of `damrak play`
(damrak_engine.statistics), from sums instead of a list.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from scipy.special import stdtr, stdtrit

from damrak_engine.statistics import PRIOR_BLOCKS, score_of
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.figures import ALL
from damrak_ladder.standings.models import Meeting, Standing

Key = TypeVar("Key")

MOST: Final = 50
"""The greatest matrix."""

ERROR: Final = 0.05
"""How often at most there is anything in a list that is called significant by mistake."""


@dataclass(frozen=True, slots=True)
class Encounter:
    """What one version scored against another: shares from 0 to 1."""

    version_id: int
    opponent_id: int
    blocks: int
    games: int
    wins: int
    ties: int
    score: float  # as it was
    likely: float  # an estimate, drawn to the middle if blocks are few
    low: float  # of its 95 % interval
    high: float
    error: float  # standard error of `likely`, on the scale of logits
    expected: float | None  # by the published Elo of both

    @property
    def losses(self) -> int:
        """Games in which the opponent came before it."""
        return self.games - self.wins - self.ties

    def chance_of(self, score: float) -> float:
        """How probable a result as far off, either way, would be if that were the true score."""
        distance = abs(_logit(self.likely) - _logit(score)) / self.error
        return float(2 * stdtr(max(1, self.blocks - 1), -distance))


def head_to_head(ladder: Ladder, version: int, opponent: int) -> Encounter | None:
    """What they did against each other; None if they never met."""
    row = Meeting.objects.filter(ladder=ladder, version=version, opponent=opponent).first()
    return None if row is None else encounter_of(row, _elos(ladder, [version, opponent]))


def all_encounters(ladder: Ladder, version: int) -> list[Encounter]:
    """Those with all its opponents, most blocks first."""
    rows = list(Meeting.objects.filter(ladder=ladder, version=version))
    elos = _elos(ladder, [version, *(row.opponent_id for row in rows)])
    found = [encounter_of(row, elos) for row in rows]
    return sorted(found, key=lambda one: (-one.blocks, one.opponent_id))


def encounter_of(row: Meeting, elos: Mapping[int, int]) -> Encounter:
    """The estimate that the sums of a meeting lead to."""
    own, other = elos.get(row.version_id), elos.get(row.opponent_id)
    score = (2 * row.wins + row.ties) / (2 * row.games)
    total, half = row.blocks + PRIOR_BLOCKS, PRIOR_BLOCKS / 2
    likely = (score * row.blocks + half) / total
    # Blocks with more games count more: the spread is that of half points around their due part.
    most = 2 * row.games / row.blocks
    strayed = row.halves_squared - 2 * likely * row.halves_by_most
    strayed = max(0.0, strayed + likely * likely * row.most_squared) / most**2
    strayed += half * (likely**2 + (1 - likely) ** 2)
    widest = likely * (1 - likely)  # when every block is won or lost as a whole
    error = math.sqrt(min(strayed / (total - 1), widest) / total) / widest
    quantile = float(stdtrit(max(1, row.blocks - 1), 0.975))
    reach = 2 * math.asinh(quantile * error / 2)
    middle = _logit(likely)
    return Encounter(
        version_id=row.version_id,
        opponent_id=row.opponent_id,
        blocks=row.blocks,
        games=row.games,
        wins=row.wins,
        ties=row.ties,
        score=score,
        likely=likely,
        low=_share(middle - reach),
        high=_share(middle + reach),
        error=error,
        expected=None if own is None or other is None else score_of(own - other),
    )


@dataclass(frozen=True, slots=True)
class Matrix:
    """The first of a list against one another."""

    versions: tuple[int, ...]  # by rank
    encounters: Mapping[tuple[int, int], Encounter]
    cycles: tuple[tuple[int, int, int], ...]  # each beats the next, and the last the first


def matrix(ladder: Ladder, top: int = 12, seats: int | None = None) -> Matrix:
    """What the first so many of the list did against one another, and where they go in circles."""
    listed = Standing.objects.filter(
        ladder=ladder, seats=ALL if seats is None else seats, rank__lte=min(top, MOST)
    ).order_by("rank")
    elos = dict(listed.values_list("version", "elo"))
    rows = Meeting.objects.filter(ladder=ladder, version__in=elos, opponent__in=elos)
    found = {(row.version_id, row.opponent_id): encounter_of(row, elos) for row in rows}
    return Matrix(tuple(elos), found, _cycles(tuple(elos), found))


def _cycles(
    versions: Sequence[int], found: Mapping[tuple[int, int], Encounter]
) -> tuple[tuple[int, int, int], ...]:
    """Three of whom each significantly beats the next.

    Significant all at once: with 95 % probability not one of the wins in the whole matrix is
    called so by mistake.
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
    """Whom a version finds harder, or easier, than their Elo says."""

    encounters: tuple[Encounter, ...]  # all of them, most blocks first
    nemeses: tuple[Encounter, ...]  # the worst first
    prey: tuple[Encounter, ...]  # the easiest first


def opponents(ladder: Ladder, version: int) -> Opponents:
    """The opponents of a version on a ladder.

    Whoever met fifty others did surprisingly well against the luckiest pick of them, so being
    called nemesis or prey takes as much more evidence as there are opponents to pick from.
    """
    every = all_encounters(ladder, version)
    rated = {one.opponent_id: one for one in every if one.expected is not None}
    chances = {
        other: one.chance_of(one.expected)
        for other, one in rated.items()
        if one.expected is not None
    }
    sure = [rated[other] for other in significant(chances)]
    return Opponents(
        encounters=tuple(every),
        nemeses=tuple(sorted((one for one in sure if _beyond(one) < 0), key=_beyond)),
        prey=tuple(
            sorted((one for one in sure if _beyond(one) > 0), key=lambda one: -_beyond(one))
        ),
    )


def significant(chances: Mapping[Key, float]) -> list[Key]:
    """Those that count when all are looked at together (Holm's method)."""
    kept: list[Key] = []
    for at, (key, chance) in enumerate(sorted(chances.items(), key=lambda item: item[1])):
        if chance > ERROR / (len(chances) - at):
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


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
