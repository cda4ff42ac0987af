"""The tasks of analysts, which may wait. Their worker knows no others."""

from __future__ import annotations

from datetime import UTC, datetime

from damrak_ladder.analyses import notable, working
from damrak_ladder.pipeline.celery import app


def _now() -> datetime:
    return datetime.now(UTC)


@app.task(name="analyse")
def analyse() -> None:
    """Compute the analyses that wait."""
    working.work(_now)


@app.task(name="choose_notable")
def choose_notable() -> None:
    """Have a match analysed that pages tell of."""
    notable.choose_notable(_now())
