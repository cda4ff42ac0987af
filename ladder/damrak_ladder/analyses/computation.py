"""Computation of analyses from the queue, by any number of workers."""

from __future__ import annotations

import json
import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from django.db import connection
from django.db.models import F, Q

from damrak_engine.errors import ReplayError
from damrak_engine.replay import parse_replay
from damrak_engine.scoring import Result
from damrak_ladder.analyses.analysis import analyse
from damrak_ladder.analyses.models import Analysis, AnalysisState
from damrak_ladder.matches.models import Match
from damrak_ladder.replays.compression import compress
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.storage import load

LEASE: Final = timedelta(minutes=3)
"""Longer than any computation: a worker that holds a row for this long has been killed."""

MOST_TRIES: Final = 3
_log = logging.getLogger(__name__)


def compute_next(clock: Callable[[], datetime], effort: float = 1.0) -> bool:
    """Compute the next analysis: notable matches before requested ones, oldest first.

    Returns False if there was nothing to do. A replay that cannot be read fails at once; after any
    other failure, or if the process is killed, the analysis is retried a few times.
    """
    claimed: Analysis | None = None
    try:
        with _told_to_end_later():  # otherwise a claim could be lost
            claimed = _claim(clock())
        if claimed is not None:
            _compute(claimed, clock, effort)
    except (KeyboardInterrupt, SystemExit):
        if claimed is not None:
            _give_back(claimed)
        raise
    return claimed is not None


def _compute(claimed: Analysis, clock: Callable[[], datetime], effort: float) -> None:
    began = time.process_time()
    try:
        found = _found(claimed, effort)
    except (ReplayError, ReplayStoreError) as problem:
        _fail(claimed, str(problem))
    except Exception as problem:  # noqa: BLE001  # the queue has to continue
        _log.exception("analysis_failed", extra={"match": claimed.match_id})
        why = f"{type(problem).__name__}: {problem}"
        if claimed.tries < MOST_TRIES:  # the store may be unreachable: retry after the lease
            _ours(claimed).update(trouble=why[:500])
        else:
            _fail(claimed, why)
    else:
        _ours(claimed).update(
            state=AnalysisState.DONE,
            lease_until=None,
            trouble="",
            software=_software(),
            computed=clock(),
            cpu_ms=int((time.process_time() - began) * 1000),
            data=compress(json.dumps(found, separators=(",", ":")).encode()),
        )


def _claim(now: datetime) -> Analysis | None:
    is_free = Q(state=AnalysisState.WAITING) | Q(state=AnalysisState.RUNNING, lease_until__lt=now)
    rows = Analysis.objects.filter(is_free).order_by("is_wanted", "asked", "pk")
    for row in rows.select_related("match")[:5]:
        if row.tries >= MOST_TRIES:
            _fail(row, row.trouble or f"whoever computed it died, {row.tries} times")
            continue
        taken = (
            _ours(row)
            .filter(is_free)
            .update(state=AnalysisState.RUNNING, tries=F("tries") + 1, lease_until=now + LEASE)
        )
        if taken:
            row.tries += 1
            return row
    return None


def _ours(row: Analysis) -> Any:
    """Return the row, restricted to this try of this replay."""
    return Analysis.objects.filter(pk=row.pk, replay=row.replay, tries=row.tries)


def _fail(row: Analysis, why: str) -> None:
    _ours(row).update(state=AnalysisState.FAILED, lease_until=None, trouble=why[:500])


def _give_back(row: Analysis) -> None:
    if not connection.is_usable():  # interrupted during a query
        connection.close()
    _ours(row).filter(state=AnalysisState.RUNNING).update(
        state=AnalysisState.WAITING, tries=row.tries - 1, lease_until=None
    )


@contextmanager
def _told_to_end_later() -> Iterator[None]:
    """Defer SIGTERM until the end of this context."""
    told: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
    if told:
        signal.raise_signal(signal.SIGTERM)


def _found(row: Analysis, effort: float) -> dict[str, Any]:
    replay = parse_replay(load(row.replay))
    return analyse(replay, _others(row, replay.seed), effort)


def _others(row: Analysis, seed: bytes) -> list[Result]:
    """Return the results of the block's other matches with the same cards."""
    others = Match.objects.filter(block_id=row.match.block_id).exclude(pk=row.match_id)
    found = []
    for other in others.exclude(replay="").order_by("number"):
        try:
            replay = parse_replay(load(other.replay))
        except (ReplayError, ReplayStoreError):
            continue
        if replay.seed == seed:
            found.append(replay.result)
    return found


def _software() -> str:
    try:
        return f"damrak {version('damrak')}"
    except PackageNotFoundError:
        return "damrak"
