"""A worker process that kills itself: `python -m ladder.worker NAME STATEMENTS`.

It plays blocks with simulated results until all are recorded. After this number of statements (0:
never) it kills itself, before or after the statement, within a transaction or not.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import django

from damrak_ladder.management import prepare

prepare()
django.setup()

from django.db import connection  # noqa: E402

from damrak_ladder.matches.attempts import Patience, due, reap, renew, start  # noqa: E402
from damrak_ladder.matches.errors import StaleReport  # noqa: E402
from damrak_ladder.matches.models import Block, BlockState  # noqa: E402
from damrak_ladder.matches.record import record  # noqa: E402
from ladder.tables import report_of  # noqa: E402

PATIENCE = Patience(
    lease=timedelta(seconds=0.5),
    tries=1000,
    first_wait=timedelta(milliseconds=10),
    longest_wait=timedelta(milliseconds=50),
)


def work(name: str) -> None:
    """Play until no block is left."""
    chance = random.Random(name)
    while Block.objects.exclude(state=BlockState.RECORDED).exists():
        reap(now(), PATIENCE)
        found = due(now(), 5)
        if not found:
            time.sleep(0.02)
            continue
        block = start(*chance.choice(found), name, now(), PATIENCE)
        if block is None:
            continue
        renew(block.pk, block.attempt, now(), PATIENCE)
        report = report_of(block, block.attempt, worker=chance.randrange(1000))
        try:
            record(report, now())
            record(report, now())  # like a task that is delivered twice
        except StaleReport:
            continue


def now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


def main() -> None:
    """Work, and kill the process after the given number of statements."""
    name, statements = sys.argv[1], int(sys.argv[2])
    executed = 0

    def count(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal executed
        executed += 1
        is_last = executed == statements
        if is_last and statements % 2:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = execute(*arguments)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    with connection.execute_wrapper(count):
        work(name)
    connection.close()


if __name__ == "__main__":
    main()
