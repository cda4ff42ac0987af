"""The fit of all blocks of a ladder, and the publication of its results.

The fit takes long and runs outside of any transaction. Then one short transaction checks whether
another process was faster, and writes the fit, the standings and the ledger together. So publishing
is atomic: a process that is killed before has changed nothing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q

from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.notes import note
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.fit.anchors import anchors_of
from damrak_ladder.standings.fit.daily_order import write_days
from damrak_ladder.standings.fit.figures import ALL, Figure, Figures, figures_of
from damrak_ladder.standings.fit.ledger import is_news, ledger_ends
from damrak_ladder.standings.fit.listed_versions import listed_among
from damrak_ladder.standings.fit.rank_changes import tell_changes
from damrak_ladder.standings.fit.running_ratings import begin_anew
from damrak_ladder.standings.fit.snapshot import Snapshot, load
from damrak_ladder.standings.models import Contenders, Fit, Line, Progress, Standing
from damrak_ladder.standings.progress import locked

LONGEST: Final = timedelta(seconds=60)
"""The longest delay of a publication after new blocks, unless fits take long."""

SHORTEST: Final = timedelta(seconds=5)
GROWTH: Final = 0.1
"""If the history has grown by this share, the delay does not apply."""

SHARE: Final = 10
"""The pause after a fit, as a multiple of the duration of the fit."""

_TRIES: Final = 3
_LEASE: Final = timedelta(seconds=60)
_A_TIME: Final = 1000

_log = logging.getLogger(__name__)


def publish_ladders(now: datetime) -> int:
    """Publish the ratings of every ladder that has changed enough; return the number of ladders.

    Closed ladders are included, because their last blocks count, too.
    """
    published = 0
    for ladder in Ladder.objects.order_by("pk"):
        try:
            if publish(ladder, now) is not None:
                published += 1
                write_days(ladder, now)
        except Exception:  # noqa: BLE001  # one ladder must not stop the others
            _log.exception("ladder_not_published", extra={"ladder": ladder.slug})
    return published


def publish(ladder: Ladder, now: datetime, force: bool = False) -> Fit | None:
    """Fit all blocks and publish the results.

    Return None if no fit was due, or if another process was faster.

    Do not call this within a transaction: it takes seconds if the history is long. The numbers
    follow from the blocks alone; `now` is the time of publication, and decides whether a fit is
    due.
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
                note(ChangeKind.STANDINGS_PUBLISHED, ladder.pk, now)
                return _write(ladder, progress, snapshot, figures, now, seconds, force)
    return None


def _is_due(ladder: Ladder, progress: Progress, latest: Fit | None, now: datetime) -> bool:
    """Return whether enough has changed since the latest fit, and enough time has passed."""
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
    """Return whether the anchors or the list have changed since the latest fit."""
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
    """Return these values with keys as text, as in JSON."""
    return {str(version): value for version, value in values.items()}


def _take(progress: Progress, latest: Fit | None, now: datetime) -> bool:
    """Acquire the lease for publishing, and return whether this succeeded.

    Of two processes that want to fit, one is turned away, which saves work.
    """
    long = timedelta(seconds=SHARE * latest.seconds) if latest is not None else _LEASE
    until = now + max(_LEASE, long)
    # A lease that ends later than ours would was taken before a clock was set back.
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
    # Normally the ledger ends with the standings; a forced fit verifies this.
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
    """Return the numbers of a version without data, whose blocks were all withdrawn."""
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
