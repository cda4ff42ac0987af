"""Notable games: upsets, high scores and close finishes.

They are selected when a block is counted, and few are kept for each ladder: the best of each kind
from the last seven days. So the cost of showing them does not depend on the number of games.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from damrak_ladder.matches.models import Block, Match
from damrak_ladder.ratings.scale import ELO_PER_LOGIT
from damrak_ladder.standings.models import Notable, NotableKind, Running
from damrak_ladder.standings.packed_blocks import Outcome

KEPT: Final = 6
"""The number of games of each kind that are kept for each ladder."""

LASTING: Final = timedelta(days=7)
SURPRISING: Final = 0.2
"""The highest probability of winning at which a win is an upset."""

KNOWN: Final = 150.0
"""The highest standard error of a version whose win can be an upset."""

CLOSE: Final = 3
"""The largest lead, in points, of a close finish."""


@dataclass(frozen=True, slots=True)
class Found:
    """A possibly notable game of a block, by its index in the block."""

    kind: NotableKind
    game: int
    version: int
    value: float


def notice(block: Block, outcome: Outcome) -> None:
    """Keep the notable games of a block that is about to be counted; before estimates are updated.

    The caller holds the lock on the progress of the ladder, and this is part of its transaction.
    """
    assert block.ladder_id is not None
    at = block.finished or block.created
    rows = list(Notable.objects.filter(ladder=block.ladder_id))
    fresh = [row for row in rows if row.at > at - LASTING]
    chosen = {
        kind: _best([row for row in fresh if row.kind == kind], found, at)
        for kind, found in _by_kind(candidates(block.ladder_id, outcome)).items()
    }
    if not any(chosen.values()):
        return
    keys = dict(Match.objects.filter(block=block).values_list("number", "pk"))
    Notable.objects.bulk_create(
        Notable(
            ladder_id=block.ladder_id,
            kind=kind,
            match_id=keys[one.game],
            version_id=one.version,
            value=one.value,
            at=at,
        )
        for kind, found in chosen.items()
        for one in found
    )
    _prune(block.ladder_id)


def forget(block: Block) -> None:
    """Delete the notable games of a block that is no longer counted."""
    Notable.objects.filter(match__block=block).delete()


def candidates(ladder: int, outcome: Outcome) -> Iterator[Found]:
    """Yield the possibly notable games of a block: those without a fault and with one winner."""
    players = outcome.block.players
    known = {
        row.version_id: row
        for row in Running.objects.filter(ladder=ladder, version__in=players)
        if row.error <= KNOWN
    }
    for game, (came, points, faults) in enumerate(
        zip(outcome.block.games, outcome.points, outcome.faults, strict=True)
    ):
        winners = [at for at, place in enumerate(came.places) if place == 1]
        if len(winners) != 1 or any(faults):
            continue
        winner = winners[0]
        version = players[winner]
        yield Found(NotableKind.RECORD, game, version, float(points[winner]))
        margin = points[winner] - max(score for at, score in enumerate(points) if at != winner)
        if 0 <= margin <= CLOSE:
            yield Found(NotableKind.CLOSE, game, version, float(margin))
        if len(known) == len(players):
            chance = _chance([known[player].elo for player in players], winner)
            if chance <= SURPRISING:
                yield Found(NotableKind.UPSET, game, version, chance)


def worth(kind: str, value: float) -> float:
    """Return a number that increases with how notable a game is."""
    return value if kind == NotableKind.RECORD else -value


def _chance(elos: Sequence[float], winner: int) -> float:
    """Return the probability of being first, by the model of the ratings."""
    highest = max(elos)
    powers = [math.exp((elo - highest) / ELO_PER_LOGIT) for elo in elos]
    return powers[winner] / sum(powers)


def _by_kind(found: Iterator[Found]) -> dict[NotableKind, list[Found]]:
    kinds: dict[NotableKind, list[Found]] = {}
    for one in found:
        kinds.setdefault(one.kind, []).append(one)
    return kinds


def _best(rows: Sequence[Notable], found: Sequence[Found], at: datetime) -> list[Found]:
    """Return the game to keep in addition to, or instead of, the existing ones.

    At most one game of a block is kept, because its games share their cards.
    """
    best = max(found, key=lambda one: (worth(one.kind, one.value), -one.game))
    if len(rows) >= KEPT and worth(best.kind, best.value) < min(
        worth(row.kind, row.value) for row in rows
    ):
        return []
    return [best]


def _prune(ladder: int) -> None:
    """Keep the best games of the last days; among equals, the newest."""
    rows = list(Notable.objects.filter(ladder=ladder))
    newest = max(row.at for row in rows)
    kept: set[int] = set()
    for kind in NotableKind:
        mine = [row for row in rows if row.kind == kind and row.at > newest - LASTING]
        mine.sort(key=lambda row: (worth(row.kind, row.value), row.at, row.pk), reverse=True)
        kept |= {row.pk for row in mine[:KEPT]}
    Notable.objects.filter(pk__in=[row.pk for row in rows if row.pk not in kept]).delete()
