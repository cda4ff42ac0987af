"""Celery tasks of analysts: low-priority work. Their worker loads no other tasks."""

from __future__ import annotations

from datetime import UTC, datetime

from damrak_ladder.analyses import notable, worker
from damrak_ladder.pipeline.celery.app import app
from damrak_ladder.puzzles import generation


def _now() -> datetime:
    return datetime.now(UTC)


@app.task(name="analyse")
def analyse() -> None:
    """Compute the waiting analyses."""
    worker.work(_now)


@app.task(name="choose_notable")
def choose_notable() -> None:
    """Request the analysis of a match that pages show."""
    notable.choose_notable(_now())


@app.task(name="make_puzzles")
def make_puzzles() -> None:
    """Search a match for puzzles, and choose the puzzle of the day."""
    generation.make_puzzles(_now)
