"""The database of an installation, as Django wants it described."""

from __future__ import annotations

from typing import Any, Final

import dj_database_url

from damrak_ladder.installation.environment import Environment

SQLITE: Final = "damrak.sqlite3"

# Measured with six writing processes: without immediate transactions a writer that has read first
# is refused at once, and without the log most of the time goes by waiting.
SQLITE_OPTIONS: Final = {
    "timeout": 20,
    "transaction_mode": "IMMEDIATE",
    # What was promised is on the disk: with NORMAL a power cut takes back the last seconds.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
}

# A machine that vanishes in the middle of a transaction must not hold its locks for hours.
POSTGRES_OPTIONS: Final = {
    "connect_timeout": 10,
    "options": "-c idle_in_transaction_session_timeout=60s -c lock_timeout=20s",
}


def database_of(environment: Environment) -> dict[str, Any]:
    """The only database there is."""
    if environment.database_url is None:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": environment.home / SQLITE,
            "OPTIONS": dict(SQLITE_OPTIONS),
        }
    described: dict[str, Any] = dict(
        dj_database_url.parse(environment.database_url, conn_max_age=600, conn_health_checks=True)
    )
    described["OPTIONS"] = POSTGRES_OPTIONS | described.get("OPTIONS", {})
    return described


# A site takes up to so many requests at once; whoever comes then waits for one of them to end.
SITE_POOL: Final = {"min_size": 2, "max_size": 20, "timeout": 10}

# What a page asks for takes a few milliseconds: to start others who help takes longer than that,
# and so does compiling it.
_SITE_OPTIONS: Final = "-c max_parallel_workers_per_gather=0 -c jit=off"


def pooled(described: dict[str, Any]) -> dict[str, Any]:
    """The same database for a server that answers each request in a thread of its own.

    A connection belongs to a thread, so without a pool every request would open a new one, which
    takes longer than most of its queries: PostgreSQL starts a process that knows no table yet.
    """
    if described["ENGINE"] != "django.db.backends.postgresql":
        return described
    given = described["OPTIONS"]
    both = f"{_SITE_OPTIONS} {given.get('options', '')}".rstrip()
    options = given | {"pool": SITE_POOL, "options": both}
    return described | {"OPTIONS": options, "CONN_MAX_AGE": 0}
