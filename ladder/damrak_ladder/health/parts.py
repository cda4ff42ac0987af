"""Quick checks of the parts of an installation; each returns the problem, or `WELL`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import datetime
from typing import Final

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from damrak_ladder.bots.archives import archive_store
from damrak_ladder.installation.brokers import connect_to, pulse_age
from damrak_ladder.matches.hosts import HostStatus, silent_after, status_of
from damrak_ladder.matches.models import Host, HostState
from damrak_ladder.replays.stores import replay_store
from damrak_ladder.stores.errors import StoreUnreachable

WELL: Final = "well"
SILENT_AFTER_S: Final = 60
"""A clerk without a heartbeat for this long is not well."""

LEAST_DISK_MB: Final = 200
_MISSING: Final = "check that a worker and its referee are running"  # it is silent without them


def database(_: datetime) -> str:
    """Check that the database answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except DatabaseError as problem:
        return f"does not answer: {_first_line(problem)}"
    return WELL


def migrations(_: datetime) -> str:
    """Check that all migrations of this software are applied."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as problem:
        return f"cannot be read: {_first_line(problem)}"
    return f"{len(missing)} pending: run damrak-ladder migrate" if missing else WELL


def broker(_: datetime) -> str:
    """Check that messages can be sent."""
    try:
        with connect_to(settings.DAMRAK_BROKER) as connected:
            connected.ping()
    except (redis.RedisError, OSError, ValueError) as problem:
        return f"does not answer: {_first_line(problem)}"
    return WELL


def clerk(_: datetime) -> str:
    """Check that a clerk carries out the tasks of beat."""
    try:
        age = pulse_age(settings.DAMRAK_BROKER, "clerk")
    except (redis.RedisError, OSError, ValueError):
        return "unknown: the broker does not answer"
    if age is None:
        return "has never run; check that a clerk and beat are running"
    if age > SILENT_AFTER_S:
        return f"last ran {age:.0f} s ago; check that a clerk and beat are running"
    return WELL


def hosts(now: datetime) -> str:
    """Check that a trusted host is available to play."""
    try:
        known = list(Host.objects.values_list("name", "state", "last_seen"))
    except DatabaseError:
        return "unknown: the database does not answer"
    recent = silent_after()
    if any(state == HostState.TRUSTED and now - seen <= recent for _, state, seen in known):
        return WELL
    if not known:
        return f"no host has registered; {_MISSING}"
    quarantined = sorted(name for name, state, _ in known if state == HostState.QUARANTINED)
    if quarantined and len(quarantined) == len(known):
        return f"all are quarantined: {', '.join(quarantined)}"
    last = max(seen for _, _, seen in known)
    return f"no heartbeat from any host for {(now - last).total_seconds():.0f} s; {_MISSING}"


def stores(_: datetime) -> str:
    """Check that the stores of archives and replays are available."""
    try:
        for store in (archive_store().store, replay_store().store):
            store.check()
    except StoreUnreachable as problem:
        return f"do not answer: {_first_line(problem)}"
    return WELL


def disk(_: datetime) -> str:
    """Check that the data folder has room."""
    try:
        free = shutil.disk_usage(settings.DAMRAK_HOME).free // 1_000_000
    except OSError as problem:
        return f"the data folder: {_first_line(problem)}"
    if free < LEAST_DISK_MB:
        return f"only {free} MB free in the data folder"
    return WELL


PARTS: Final[dict[str, Callable[[datetime], str]]] = {
    "database": database,
    "migrations": migrations,
    "broker": broker,
    "clerk": clerk,
    "hosts": hosts,
    "stores": stores,
    "disk": disk,
}

GROUPS: Final[tuple[tuple[str, ...], ...]] = (
    ("database", "migrations", "hosts"),
    ("broker", "clerk"),
    ("stores",),
    ("disk",),
)
"""The parts of a group depend on its first one; groups are independent of each other."""

READY: Final = ("database", "migrations")
"""Parts that the site needs to answer requests."""


def look_at(group: tuple[str, ...], now: datetime) -> dict[str, str]:
    """Return the state of each part of a group. If the first is down, the others are skipped."""
    first, *others = group
    found = {first: PARTS[first](now)}
    for name in others:
        is_known = found[first] == WELL
        found[name] = PARTS[name](now) if is_known else f"unknown: the {first} does not answer"
    return found


def overdue(group: tuple[str, ...], why: str) -> dict[str, str]:
    """Return the state of each part of a group that could not be checked."""
    first, *others = group
    found = {first: f"does not answer: {why}"}
    return found | dict.fromkeys(others, f"unknown: the {first} does not answer")


def host_statuses(now: datetime) -> dict[str, HostStatus]:
    """Return each host and its status.

    Raises:
        DatabaseError: the database does not answer.
    """
    return {host.name: status_of(host, now) for host in Host.objects.order_by("name")}


def is_well(found: dict[str, str]) -> bool:
    """Return whether all parts are well."""
    return all(state == WELL for state in found.values())


def _first_line(problem: BaseException) -> str:
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else type(problem).__name__
