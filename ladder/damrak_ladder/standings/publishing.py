"""The fit of all blocks of a ladder, and what is published of it.

What takes long, the fit, happens outside of any transaction. Then one short transaction looks
whether anybody else was faster, and writes the fit, the standings and the ledger together. So
whoever dies on the way has changed nothing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.anchors import anchors_of
from damrak_ladder.standings.figures import ALL, Figure, Figures, figures_of
from damrak_ladder.standings.ledger import is_news, ledger_ends
from damrak_ladder.standings.listing import listed_among
from damrak_ladder.standings.models import Contenders, Fit, Line, Progress, Standing
from damrak_ladder.standings.progress import locked
from damrak_ladder.standings.rank_changes import tell_changes
from damrak_ladder.standings.running import begin_anew
from damrak_ladder.standings.snapshot import Snapshot, load

LONGEST: Final = timedelta(seconds=60)
"""News waits no longer than this, unless fits take long."""

SHORTEST: Final = timedelta(seconds=5)
GROWTH: Final = 0.1
"""So much more of the history does not wait that long."""

SHARE: Final = 10
"""Fits rest so many times as long as one takes."""

_TRIES: Final = 3
_LEASE: Final = timedelta(seconds=60)
_A_TIME: Final = 1000


def publish(ladder: Ladder, now: datetime, force: bool = False) -> Fit | None:
    """Fit all blocks and publish what came of it; None if there was no reason to, or if somebody
    else was faster.

    Not to be called within a transaction: it takes seconds where the history is long. The numbers
    follow from the blocks alone; `now` says when they were published, and whether it is time to.
    """
    progress = Progress.objects.filter(pk=ladder.pk).first()
    if progress is None:
        return None
    latest = Fit.objects.filter(ladder=ladder, number=progress.fit).first()
    if not force and not (_is_due(ladder, progress, latest, now) and _take(progress, latest, now)):
        return None
    for _ in range(_TRIES):
        begun = time.process_time()
        snapshot = load(ladder)
        figures = figures_of(snapshot)
        seconds = time.process_time() - begun
        with transaction.atomic():
            progress = locked(ladder.pk)
            if progress.fit != snapshot.fit:
                return None
            if progress.withdrawn == snapshot.withdrawn:
                return _write(ladder, progress, snapshot, figures, now, seconds, force)
    return None


def _is_due(ladder: Ladder, progress: Progress, latest: Fit | None, now: datetime) -> bool:
    """Whether enough has changed since the latest fit, and long enough ago."""
    if latest is None:
        return progress.blocks > 0
    since = now - latest.at
    if timedelta(0) <= since < max(SHORTEST, timedelta(seconds=SHARE * latest.seconds)):
        return False
    news = progress.serial - latest.serial + progress.withdrawn - latest.withdrawn
    if news > GROWTH * latest.blocks:
        return True
    if timedelta(0) <= since < LONGEST:
        return False
    return (
        bool(news)
        or _terms_changed(ladder, latest)
        # An earlier release published the latest fit.
        or not Contenders.objects.filter(ladder=ladder).exists()
    )


def _terms_changed(ladder: Ladder, latest: Fit) -> bool:
    """Whether other versions are anchored or on the list than at the latest fit."""
    standings = Standing.objects.filter(ladder=ladder, seats=ALL).values_list("version", "rank")
    ranks = dict(standings)
    anchors = anchors_of(ladder, ranks)
    listed = frozenset(version for version, rank in ranks.items() if rank is not None)
    return (
        _by_text(anchors.elo) != latest.anchors
        or _by_text(anchors.errors) != latest.anchor_errors
        or listed != listed_among(ladder, ranks)
    )


def _by_text(values: Mapping[int, float]) -> dict[str, float]:
    """Returns these values as JSON has them, by the text of their key."""
    return {str(version): value for version, value in values.items()}


def _take(progress: Progress, latest: Fit | None, now: datetime) -> bool:
    """Whether it is up to us: of two who want to fit one is turned away, to save the work."""
    long = timedelta(seconds=SHARE * latest.seconds) if latest is not None else _LEASE
    until = now + max(_LEASE, long)
    # Later than we would say ourselves: a clock was set back.
    free = Q(fitting_until=None) | Q(fitting_until__lte=now) | Q(fitting_until__gt=until)
    mine = Progress.objects.filter(free, pk=progress.pk, fit=progress.fit)
    return bool(mine.update(fitting_until=until))


def _write(
    ladder: Ladder,
    progress: Progress,
    snapshot: Snapshot,
    figures: Figures,
    now: datetime,
    seconds: float,
    is_forced: bool,
) -> Fit:
    ratings = figures.ratings
    before = {(row.version_id, row.seats): row for row in Standing.objects.filter(ladder=ladder)}
    # As a rule the ledger ends with the standings; who forces a fit wants to be sure of it.
    ends = ledger_ends(ladder) if is_forced else {}
    lines, rows = [], []
    number = progress.fit + 1
    gone = {key: _unknown(row) for key, row in before.items() if key not in figures.of}
    for key, figure in sorted({**figures.of, **gone}.items()):
        row = before.get(key)
        version, seats = key
        values = asdict(figure)
        if is_news(ends.get(key) if is_forced else row, values):
            lines.append(
                Line(ladder=ladder, version_id=version, seats=seats, fit=number, at=now, **values)
            )
        if row is None or any(getattr(row, name) != value for name, value in values.items()):
            rows.append(Standing(ladder=ladder, version_id=version, seats=seats, **values))
    fit = Fit.objects.create(
        ladder=ladder,
        number=number,
        at=now,
        blocks=snapshot.blocks,
        games=sum(len(table.block) for table in snapshot.history.tables.values()),
        versions=len(snapshot.versions),
        last_block=snapshot.last_block,
        serial=snapshot.serial,
        withdrawn=snapshot.withdrawn,
        digest=snapshot.digest,
        anchors=_by_text(snapshot.anchors.elo),
        anchor_errors=_by_text(snapshot.anchors.errors),
        anchor_checks=[asdict(check) for check in figures.anchors],
        middle=ratings.middle,
        turns={str(seats): list(elo) for seats, elo in ratings.turns.items()},
        effects={str(seats): effect for seats, effect in ratings.effects.items()},
        seconds=round(seconds, 3),
        lines=len(lines),
    )
    Standing.objects.bulk_create(
        rows,
        batch_size=_A_TIME,
        update_conflicts=True,
        unique_fields=["ladder", "seats", "version"],
        update_fields=list(Figure.__dataclass_fields__),
    )
    Line.objects.bulk_create(lines, batch_size=_A_TIME)
    _write_leaders(ladder, figures)
    begin_anew(ladder, snapshot, ratings)
    tell_changes(ladder, number, now)
    progress.fit, progress.fitting_until = number, None
    progress.save(update_fields=["fit", "fitting_until"])
    return fit


def _write_leaders(ladder: Ladder, figures: Figures) -> None:
    Contenders.objects.filter(ladder=ladder).exclude(seats__in=figures.leaders).delete()
    Contenders.objects.bulk_create(
        [
            Contenders(
                ladder=ladder,
                seats=seats,
                versions=list(leaders.versions),
                strengths=leaders.strengths.astype("<i2").tobytes(),
            )
            for seats, leaders in figures.leaders.items()
        ],
        update_conflicts=True,
        unique_fields=["ladder", "seats"],
        update_fields=["versions", "strengths"],
    )


def _unknown(row: Standing) -> Figure:
    """Nothing is known of a version any more, as all its blocks were withdrawn."""
    return Figure(
        elo=row.elo,
        low=row.low,
        high=row.high,
        rank=None,
        rank_low=None,
        rank_high=None,
        band=None,
        first=None,
        blocks=0,
        games=0,
    )
