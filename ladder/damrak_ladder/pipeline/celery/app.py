"""The Celery application: message transport, and the schedule of beat.

Messages are hints (docs/adr/0009): every task checks the database first, so that a lost, late or
duplicate message does no harm. Django has to be set up before this module is imported.
"""

from __future__ import annotations

import socket
from datetime import timedelta
from typing import Any, Final

from celery import Celery
from celery.schedules import crontab
from django.conf import settings

from damrak_ladder.pipeline.celery.queues import MAIN, SPARE

PLAY_SECONDS: Final = 3600
"""No block takes longer; a process that plays one for this long hangs."""

_TASK_SECONDS: Final = 600
_VISIBLE_AFTER: Final = PLAY_SECONDS + 300  # or a running task would be delivered to another worker

# If packets are dropped, TCP alone would not notice for a quarter of an hour, and a sender would
# wait for `socket_timeout`. Not every system supports all of these options.
_KEEPALIVE: Final = {"TCP_KEEPIDLE": 3, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 3}
_KEEPALIVE_OPTIONS: Final = {
    getattr(socket, name): value
    for name, value in {**_KEEPALIVE, "TCP_USER_TIMEOUT": 5_000}.items()
    if hasattr(socket, name)
}

app = Celery("damrak", set_as_current=True)

app.conf.update(
    broker_url=settings.DAMRAK_BROKER,
    broker_transport_options={
        "visibility_timeout": _VISIBLE_AFTER,
        # The default sweep runs every hundred seconds, and a worker that is killed during one
        # blocks all others from it for five minutes.
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "unacked_mutex_expire": 10,
        # Senders do not wait for an unreachable broker; consumers do.
        "max_retries": 0,
        "socket_timeout": 30,
        "socket_connect_timeout": 2,
        "socket_keepalive": True,
        "socket_keepalive_options": _KEEPALIVE_OPTIONS,
        "health_check_interval": 10,
    },
    broker_connection_timeout=5,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # retry indefinitely
    task_default_queue=MAIN,
    task_serializer="json",
    accept_content=["json"],
    result_backend=None,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_time_limit=_TASK_SECONDS,
    worker_prefetch_multiplier=1,
    worker_max_tasks_per_child=500,
    worker_proc_alive_timeout=60,  # a busy machine starts processes slowly
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    worker_redirect_stdouts=False,
    worker_hijack_root_logger=False,
    beat_scheduler="damrak_ladder.pipeline.celery.beat:Beat",
    timezone="UTC",
    enable_utc=True,
)


def _every(task: str, queue: str = MAIN, **interval: float) -> dict[str, Any]:
    """Return a schedule entry; a message not taken before the next one is dropped."""
    often = timedelta(**interval)
    options = {"expires": often.total_seconds(), "queue": queue}
    return {"task": task, "schedule": often, "options": options}


def _nightly(task: str, minute: int) -> dict[str, Any]:
    return {"task": task, "schedule": crontab(hour="3", minute=str(minute))}


app.conf.beat_schedule = {
    "pulse": _every("pulse", seconds=5),
    "schedule": _every("schedule", seconds=2),
    "settle_leftovers": _every("settle_leftovers", seconds=5),
    "run_tournaments": _every("run_tournaments", seconds=2),
    "reap": _every("reap", seconds=5),
    "check_hosts": _every("check_hosts", minutes=5),
    "publish_ladders": _every("publish_ladders", seconds=5),
    "deliver_notices": _every("deliver_notices", seconds=20),
    "tell_followers": _every("tell_followers", minutes=1),
    "collect_highlights": _every("collect_highlights", minutes=1),
    "announce_games": _every("announce_games", seconds=5),
    "score_predictions": _every("score_predictions", minutes=1),
    "post_events": _every("post_events", seconds=5),
    "new_day": _every("new_day", minutes=10),  # a no-op once the day's boards exist
    "inspect_replays": _nightly("inspect_replays", minute=17),
    "forget": _nightly("forget", minute=41),
    "dump": _nightly("dump", minute=7),
    "analyse": _every("analyse", SPARE, seconds=2),
    "choose_notable": _every("choose_notable", SPARE, minutes=1),
    "make_puzzles": _every("make_puzzles", SPARE, seconds=30),
}
