"""The processes of the pipeline, each run in the foreground until a signal ends it.

On SIGTERM, running tasks finish first. Django has to be set up before.
"""

from __future__ import annotations

import os
import signal
import warnings
from typing import Any, Final

from celery.exceptions import SecurityWarning
from celery.signals import (
    worker_process_init,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from django.conf import settings

from damrak_ladder.installation.environment import PREFIX, SettingError
from damrak_ladder.pipeline.attempt.heartbeat import Heart
from damrak_ladder.pipeline.celery.app import app
from damrak_ladder.pipeline.celery.queues import MAIN, SPARE, queue_of
from damrak_ladder.pipeline.workers.acknowledgement import let_go_of_the_lost
from damrak_ladder.pipeline.workers.connections import keep_connections

_QUIET: Final = ("--without-gossip", "--without-mingle", "--without-heartbeat")


def run_worker(blocks: int, log_level: str = "WARNING") -> None:
    """Play this host's blocks on its referee, up to `blocks` at once.

    Raises:
        SettingError: the address of the referee is not set.
    """
    if settings.DAMRAK_REFEREE is None:
        raise SettingError(
            PREFIX + "REFEREE", "is not set, and a worker needs a referee: host:port or unix:/path"
        )
    host = settings.DAMRAK_HOST
    heart = Heart(blocks)

    def start(**_: Any) -> None:
        heart.start()

    def slow_down(**_: Any) -> None:
        heart.slow_down()

    def stop(**_: Any) -> None:
        heart.stop()

    worker_ready.connect(start)
    worker_shutting_down.connect(slow_down)
    worker_shutdown.connect(stop)
    _load("damrak_ladder.pipeline.workers.host_tasks")
    _run("worker", f"--queues={queue_of(host)}", blocks, f"play@{host}", log_level)


def run_clerk(jobs: int, log_level: str = "WARNING") -> None:
    """Run the tasks that make decisions, up to `jobs` at once."""
    _load("damrak_ladder.pipeline.workers.clerk_tasks")
    _run("worker", f"--queues={MAIN}", jobs, f"clerk@{settings.DAMRAK_HOST}", log_level)


def run_analyst(log_level: str = "WARNING") -> None:
    """Compute analyses, one at a time. One ended by SIGQUIT goes back to the queue at once."""

    def leave(*_: Any) -> None:
        # Celery sends it twice; the second signal must not interrupt the exit that the first one
        # began.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise SystemExit(0)

    def listen(**_: Any) -> None:
        signal.signal(signal.SIGTERM, leave)  # sent by the pool to its children on SIGQUIT

    worker_process_init.connect(listen, weak=False)
    _load("damrak_ladder.pipeline.workers.analyst_tasks")
    _run("worker", f"--queues={SPARE}", 1, f"analyst@{settings.DAMRAK_HOST}", log_level)


def run_beat(log_level: str = "WARNING") -> None:
    """Send the periodic tasks. Running two of these is harmless."""
    _load()  # beat only sends task names
    app.start(["--quiet", "beat", f"--loglevel={log_level}", "--pidfile="])


def _load(*tasks: str) -> None:
    """Make Celery load only these modules.

    By default it runs Django's checks first, which load the whole site.
    """
    os.environ["CELERY_SKIP_CHECKS"] = "yes"
    app.conf.imports = tasks
    # Celery warns root about pickled messages. Ours are JSON, and sandboxes require root.
    warnings.simplefilter("ignore", SecurityWarning)
    keep_connections()
    let_go_of_the_lost()


def _run(command: str, queues: str, at_once: int, name: str, log_level: str) -> None:
    app.worker_main(
        [
            "--quiet",  # its banner is not a log event
            command,
            queues,
            f"--concurrency={at_once}",
            f"--hostname={name}",
            f"--loglevel={log_level}",
            *_QUIET,
        ]
    )
