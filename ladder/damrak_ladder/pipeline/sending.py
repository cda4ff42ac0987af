"""Messages to clerks and workers. A broker that is down is no reason to fail: it is all hints."""

from __future__ import annotations

import logging
from typing import Any

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from damrak_ladder.pipeline.celery import app
from damrak_ladder.pipeline.queues import MAIN, queue_of

_log = logging.getLogger(__name__)


def send(task: str, *arguments: Any, queue: str = MAIN, expires: float | None = None) -> bool:
    """Ask for a task of this name soon; whether the broker has taken the message.

    After `expires` seconds nobody needs to do it any more.
    """
    try:
        app.send_task(task, args=arguments, queue=queue, expires=expires, retry=False)
    except (OperationalError, RedisError, OSError) as problem:
        _log.warning("message_not_sent", extra={"task": task, "why": str(problem)})
        return False
    return True


def send_play(host: str, block_id: int, latest: int) -> bool:
    """Ask a host to begin the attempt after the latest; whether the broker has taken it."""
    return send("play", block_id, latest, queue=queue_of(host))
