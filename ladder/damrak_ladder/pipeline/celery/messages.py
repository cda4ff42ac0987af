"""Messages to clerks and workers. They are only hints, so an unreachable broker is not an error."""

from __future__ import annotations

import logging
from typing import Any

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from damrak_ladder.pipeline.celery.app import app
from damrak_ladder.pipeline.celery.queues import MAIN, queue_of

_log = logging.getLogger(__name__)


def send(task: str, *arguments: Any, queue: str = MAIN, expires: float | None = None) -> bool:
    """Request that a task of this name run soon; return whether the broker accepted the message.

    The message expires after `expires` seconds.
    """
    try:
        app.send_task(task, args=arguments, queue=queue, expires=expires, retry=False)
    except (OperationalError, RedisError, OSError) as problem:
        _log.warning("message_not_sent", extra={"task": task, "why": str(problem)})
        return False
    return True


def send_play(host: str, block_id: int, latest: int) -> bool:
    """Ask a host to begin the next attempt; return whether the broker accepted the message.

    `latest` is the number of the latest attempt so far.
    """
    return send("play", block_id, latest, queue=queue_of(host))
