"""The tasks: each one line into a function, which is where to look."""

from __future__ import annotations

from datetime import UTC, datetime

from damrak_ladder.pipeline import playing, reaping
from damrak_ladder.pipeline.celery import PLAY_SECONDS, app


def _now() -> datetime:
    return datetime.now(UTC)


@app.task(name="play", time_limit=PLAY_SECONDS)
def play(block_id: int, latest: int) -> None:
    """Make the attempt after the latest, on this host."""
    playing.play(block_id, latest, _now)


@app.task(name="reap")
def reap() -> None:
    """End attempts whose worker has fallen silent."""
    reaping.reap(_now())
