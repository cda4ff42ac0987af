"""Games worth telling of: surprises, many points, close finishes.

They are chosen when a block begins to count, and few are kept for each ladder: of the last seven
days the best of each kind. So showing them costs the same however much is played.
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
from damrak_ladder.standings.packing import Outcome

KEPT: Final = 6
"""So many of each kind on each ladder."""

LASTING: Final = timedelta(days=7)
SURPRISING: Final = 0.2
"""Whoever wins with a greater chance than this is no surprise."""

KNOWN: Final = 150.0
"""Nobody surprises whose standard error is greater: nobody knew how good it is."""

CLOSE: Final = 3
"""Who wins by more points than this has not won narrowly."""


@dataclass(frozen=True, slots=True)
class Found:
    """A game of a block, by its place among them, that may be worth telling of."""

    kind: NotableKind
    game: int
    version: int
    value: float


def notice(block: Block, outcome: Outcome) -> None:
    """Keep the notable games of a block that begins to count; before estimates learn from it.

    It is part of the caller's transaction, who has locked the progress of the ladder.
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
    """Tell no longer of a block that does not count any more."""
    Notable.objects.filter(match__block=block).delete()


def candidates(ladder: int, outcome: Outcome) -> Iterator[Found]:
    """What might be told of the games of a block: those that ended without a fault, with one
    winner."""
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
    """The greater, the more notable."""
    return value if kind == NotableKind.RECORD else -value


def _chance(elos: Sequence[float], winner: int) -> float:
    """Of being first, by the model of the ratings."""
    highest = max(elos)
    powers = [math.exp((elo - highest) / ELO_PER_LOGIT) for elo in elos]
    return powers[winner] / sum(powers)


def _by_kind(found: Iterator[Found]) -> dict[NotableKind, list[Found]]:
    kinds: dict[NotableKind, list[Found]] = {}
    for one in found:
        kinds.setdefault(one.kind, []).append(one)
    return kinds


def _best(rows: Sequence[Notable], found: Sequence[Found], at: datetime) -> list[Found]:
    """The one of these that is to be kept beside, or instead of, what there is: one a block, since
    its games share their cards."""
    best = max(found, key=lambda one: (worth(one.kind, one.value), -one.game))
    if len(rows) >= KEPT and worth(best.kind, best.value) < min(
        worth(row.kind, row.value) for row in rows
    ):
        return []
    return [best]


def _prune(ladder: int) -> None:
    """Keep the best of the last days; of equals the newest."""
    rows = list(Notable.objects.filter(ladder=ladder))
    newest = max(row.at for row in rows)
    kept: set[int] = set()
    for kind in NotableKind:
        mine = [row for row in rows if row.kind == kind and row.at > newest - LASTING]
        mine.sort(key=lambda row: (worth(row.kind, row.value), row.at, row.pk), reverse=True)
        kept |= {row.pk for row in mine[:KEPT]}
    Notable.objects.filter(pk__in=[row.pk for row in rows if row.pk not in kept]).delete()
