"""The only Celery task of a host. Its worker loads no others, so that it starts quickly."""

from __future__ import annotations

from datetime import UTC, datetime

from damrak_ladder.pipeline.attempt import execution
from damrak_ladder.pipeline.celery.app import PLAY_SECONDS, app
from damrak_ladder.referees.connections import kept_control


@app.task(name="play", time_limit=PLAY_SECONDS)
def play(block_id: int, latest: int) -> None:
    """Make the attempt after the latest, on this host."""
    execution.play(block_id, latest, lambda: datetime.now(UTC), kept_control)
