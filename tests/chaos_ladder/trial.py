"""One run of the list: undisturbed, or with kills at random."""

from __future__ import annotations

import random
import secrets
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import DatabaseError, connection
from django.test import override_settings

from chaos_ladder.plan import (
    book_all,
    double,
    hold_back,
    left,
    lost,
    outcome,
    release,
    waiting,
)
from chaos_ladder.victims import Platform
from damrak_ladder.installation.databases import database_of
from damrak_ladder.installation.environment import read_environment
from damrak_ladder.installation.secrets import prepare_home
from damrak_ladder.matches.models import Attempt, Outcome
from ladder.databases import create_tables, use_database
from ladder.postgres import Postgres
from referee_process import short_folder

REPLAY_KEY = bytes(range(32)).hex()  # the same for all runs, so that signatures are equal
LONGEST_SECONDS = 3600.0  # a safety net; nothing here measures time
LONG_LEASE = {"DAMRAK_LADDER_LEASE_SECONDS": "600"}
"""For runs without kills, in which a process without CPU time must not be considered dead."""

STEP = 0.1


@dataclass(frozen=True)
class Run:
    """The outcome of a run, and its cost."""

    outcome: dict[str, Any]
    seconds: float
    kills: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    lost_attempts: int = 0
    lost: tuple[int, ...] = ()  # primary keys of blocks
    double: tuple[int, ...] = ()


def run(blocks: int, kills: int, seed: int, kind: str, machines: int = 2) -> Run:
    """Play the list of this seed on a new platform with a database of that kind."""
    chance = random.Random(secrets.randbits(64) if kills else 0)
    with _home(kind) as (folder, variables, postgres):
        book_all(blocks, seed)
        held = hold_back(blocks // 4) if kills else []
        began = time.monotonic()
        killed: Counter[str] = Counter()
        order: list[str] = []
        more = {} if kills else LONG_LEASE
        with Platform(folder, variables | more, machines, postgres) as platform:
            while remaining := _left():
                platform.check()
                assert time.monotonic() < began + LONGEST_SECONDS, f"{platform.logs()}\n{waiting()}"
                played = blocks - (remaining if remaining > 0 else blocks)
                # Within the first half, because a kill takes a while and blocks continue in the
                # meantime; the blocks held back ensure that they do not run out.
                if killed.total() >= kills:
                    held = _released(held)
                elif 2 * played * kills >= blocks * killed.total():
                    # Each kind in turn, in random order.
                    order = order or chance.sample(platform.kinds, len(platform.kinds))
                    victim = order.pop()
                    platform.kill(victim, chance)
                    killed[victim] += 1
                time.sleep(STEP)
        seconds = time.monotonic() - began
        connection.close()
        ended = Attempt.objects.exclude(outcome=Outcome.RECORDED).count()
        return Run(
            outcome(),
            seconds,
            killed,
            attempts=Attempt.objects.count(),
            lost_attempts=ended,
            lost=tuple(lost()),
            double=tuple(double()),
        )


def _released(held: list[int]) -> list[int]:
    """Release these blocks; return those still held because the database is unavailable."""
    try:
        release(held)
    except DatabaseError:
        connection.close()
        return held
    return []


def _left() -> int:
    """Return the number of unfinished blocks; -1 while the database is unavailable."""
    try:
        return left()
    except DatabaseError:
        connection.close()
        return -1


@contextmanager
def _home(kind: str) -> Iterator[tuple[Path, dict[str, str], Postgres | None]]:
    """Yield an empty installation."""
    with ExitStack() as stack:
        folder = stack.enter_context(short_folder())
        variables = {"DAMRAK_HOME": str(folder), "DAMRAK_LADDER_REPLAY_KEY": REPLAY_KEY}
        postgres = None
        if kind == "postgresql":
            postgres = stack.enter_context(Postgres())
            variables["DATABASE_URL"] = postgres.url
        prepare_home(folder)
        use_database(database_of(read_environment(variables)))
        stack.callback(connection.close)
        create_tables()
        key = bytes.fromhex(REPLAY_KEY)
        stack.enter_context(override_settings(DAMRAK_HOME=folder, DAMRAK_REPLAY_KEY=key))
        yield folder, variables, postgres
