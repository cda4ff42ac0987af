"""The current strength of each version: the latest fit, updated by the blocks since then.

The updates are calculated in ratings/online.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from damrak_ladder.matches.models import Ladder
from damrak_ladder.ratings import Block, History, Online, Ratings, Scale
from damrak_ladder.ratings.online import UNKNOWN
from damrak_ladder.ratings.scale import ELO_PER_LOGIT
from damrak_ladder.standings.fit.anchors import anchors_of, centre_of
from damrak_ladder.standings.fit.snapshot import Snapshot
from damrak_ladder.standings.models import Counted, Fit, Running
from damrak_ladder.standings.packed_blocks import Outcome, unpack

MEMORY = 32
"""The number of latest opponents that are stored for each version."""

SLIGHT = 0.01
"""Changes of an estimate by less than this, in Elo, are not written."""

UNKNOWN_ELO = UNKNOWN * ELO_PER_LOGIT
"""The standard error of a version that has not played."""


def follow(ladder_id: int, outcome: Outcome, fit: int) -> None:
    """Update the estimates from one block. Only those of its players are read and changed."""
    players = outcome.block.players
    latest = Fit.objects.filter(ladder_id=ladder_id, number=fit).first()
    rows = {
        row.version_id: row
        for row in Running.objects.filter(ladder_id=ladder_id, version_id__in=players)
    }
    if len(rows) < len(players):
        ladder = Ladder.objects.get(pk=ladder_id)
        middle = centre_of(ladder) if latest is None else latest.middle
        for row in _newcomers(ladder, [one for one in players if one not in rows], middle):
            rows[row.version_id] = row
    online = online_of(latest, [rows[player] for player in players])
    news = Block(tuple(range(len(players))), outcome.block.games)
    online.absorb(History.of([news]))
    for at, player in enumerate(players):
        row = rows[player]
        row.elo, row.error = float(online.elo[at]), float(online.error[at])
        row.recent = [*row.recent, *(one for one in players if one != player)][-MEMORY:]
    keep(rows.values())


def online_of(fit: Fit | None, rows: Sequence[Running]) -> Online:
    """Return the estimates of these versions, in this order."""
    origin = Scale().centre
    turns = {} if fit is None else fit.turns
    effects = {} if fit is None else fit.effects
    return Online(
        strength=np.array([(row.elo - origin) / ELO_PER_LOGIT for row in rows]),
        variance=np.array([max(row.error / ELO_PER_LOGIT, 1e-6) ** 2 for row in rows]),
        turns={int(seats): np.array(elo) / ELO_PER_LOGIT for seats, elo in turns.items()},
        effects={int(seats): effect for seats, effect in effects.items()},
        origin=origin,
    )


def keep(rows: Iterable[Running], fields: Sequence[str] = ("elo", "error", "recent")) -> None:
    """Store the estimates of these versions."""
    Running.objects.bulk_create(
        sorted(rows, key=lambda row: row.version_id),
        update_conflicts=True,
        unique_fields=["ladder", "version"],
        update_fields=fields,
        batch_size=2000,
    )


def _newcomers(ladder: Ladder, versions: Sequence[int], middle: float) -> list[Running]:
    anchors = anchors_of(ladder, versions)
    return [
        Running(
            ladder=ladder,
            version_id=version,
            elo=anchors.elo.get(version, middle),
            error=anchors.errors.get(version, 0.0 if version in anchors.elo else UNKNOWN_ELO),
        )
        for version in versions
    ]


def begin_anew(ladder: Ladder, snapshot: Snapshot, ratings: Ratings) -> None:
    """Start again from a fit, and apply the blocks that it does not include."""
    online = Online.after(ratings)
    places = {int(version): at for at, version in enumerate(snapshot.versions)}
    late = Counted.objects.filter(ladder=ladder, serial__gt=snapshot.serial).order_by("serial")
    outcomes = [
        unpack(bytes(results), bytes(points))
        for results, points in late.values_list("results", "points")
    ]
    unseen = sorted({one for outcome in outcomes for one in outcome.block.players} - set(places))
    for row in _newcomers(ladder, unseen, ratings.middle):
        places[row.version_id] = online.enter(row.elo, row.error)
    for outcome in outcomes:
        players = tuple(places[player] for player in outcome.block.players)
        online.absorb(History.of([Block(players, outcome.block.games)]))
    known = {
        version: (elo, error)
        for version, elo, error in Running.objects.filter(ladder=ladder).values_list(
            "version", "elo", "error"
        )
    }
    elos, errors = online.elo.tolist(), online.error.tolist()
    changed = [
        Running(ladder=ladder, version_id=version, elo=elos[at], error=errors[at])
        for version, at in places.items()
        if version not in known
        or abs(known[version][0] - elos[at]) + abs(known[version][1] - errors[at]) > SLIGHT
    ]
    keep(changed, fields=("elo", "error"))
    Running.objects.filter(ladder=ladder, version__in=known.keys() - places.keys()).delete()
