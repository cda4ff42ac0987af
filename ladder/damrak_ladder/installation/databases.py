"""The database of an installation, as a Django setting."""

from __future__ import annotations

from typing import Any, Final

import dj_database_url

from damrak_ladder.installation.environment import Environment

SQLITE: Final = "damrak.sqlite3"

# Measured with six writing processes: without immediate transactions, a writer that has read first
# fails at once, and without the write-ahead log most of the time is spent waiting.
SQLITE_OPTIONS: Final = {
    "timeout": 20,
    "transaction_mode": "IMMEDIATE",
    # Committed data is on disk: with NORMAL, a power cut would lose the last seconds.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
}

# A machine that vanishes during a transaction must not hold its locks for hours. If packets are
# dropped and not refused, TCP alone would wait for a quarter of an hour; instead, an idle or
# waiting connection is probed, and closed when sent data is not acknowledged.
POSTGRES_OPTIONS: Final = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,  # milliseconds
    "options": "-c idle_in_transaction_session_timeout=60s -c lock_timeout=20s",
}


def database_of(environment: Environment) -> dict[str, Any]:
    """Return the setting of the only database."""
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


# The limits below add up to less than ten seconds, the patience of visitors and proxies.
SITE_QUERY_S: Final = 6

# A page needs a connection at once. With a short limit for reconnecting, the pause between two
# attempts stays at about a second, so that a database that is back is found soon.
SITE_POOL: Final = {"min_size": 2, "max_size": 20, "timeout": 3, "reconnect_timeout": 3}

_SITE_NETWORK: Final = {
    "keepalives_idle": 3,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "tcp_user_timeout": 4_000,
}

# Queries of a page take a few milliseconds: parallel workers and compiled queries take longer to
# start than they save.
_SITE_OPTIONS: Final = (
    f"-c max_parallel_workers_per_gather=0 -c jit=off -c statement_timeout={SITE_QUERY_S}s"
)


def pooled(described: dict[str, Any]) -> dict[str, Any]:
    """Return the same database for a server that handles each request in a separate thread.

    A connection belongs to a thread, so without a pool every request would open a new one. That
    takes longer than most of its queries, as PostgreSQL starts a process with empty caches.
    """
    if described["ENGINE"] != "django.db.backends.postgresql":
        return described
    from damrak_ladder.installation.connections import BoundedConnection

    given = described["OPTIONS"]
    both = f"{_SITE_OPTIONS} {given.get('options', '')}".rstrip()
    # Keep limits that the operator set in DATABASE_URL.
    ours = {
        name: value
        for name, value in _SITE_NETWORK.items()
        if given.get(name) == POSTGRES_OPTIONS.get(name)
    }
    pool = SITE_POOL | {"connection_class": BoundedConnection}
    options = given | ours | {"pool": pool, "options": both}
    return described | {"OPTIONS": options, "CONN_MAX_AGE": 0}
