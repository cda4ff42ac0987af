"""A thorough examination of the database and the stores, and of their content."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db import DatabaseError, transaction
from django.db.models import Min

from damrak_ladder.bots.archives import archive_store
from damrak_ladder.bots.errors import ArchiveDamaged
from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.health import parts, tables
from damrak_ladder.health.findings import Clock, Finding, Verdict, finding_of
from damrak_ladder.matches.clock import MOST_LEAD, clock_offset
from damrak_ladder.matches.hosts import HostStatus, status_of
from damrak_ladder.matches.models import Block, BlockState, Host, HostState, Ladder, Purpose
from damrak_ladder.message_codes.wording import english
from damrak_ladder.replays.inspection import inspect_sample

DATABASE_CURE: Final = "start it, or check DATABASE_URL and the network"
STORES_CURE: Final = "start it, or check DAMRAK_LADDER_S3_…"

SAMPLE: Final = 20
"""The number of replays and archives that are examined."""

STUCK_AFTER: Final = 3
"""Attempts after which the failures of a waiting block are no longer taken for accidents."""

LATE_AFTER: Final = timedelta(minutes=10)
"""A block that has been due for this long is not being played."""


def examine_database(clock: Clock) -> Iterator[Finding]:
    """Yield findings about the database, and about hosts and blocks in it."""
    database = finding_of("database", parts.database, clock(), DATABASE_CURE)
    yield database
    if database.verdict is not Verdict.WELL:
        return
    migrated = finding_of("migrations", parts.migrations, clock(), "damrak-ladder migrate")
    yield migrated
    if migrated.verdict is not Verdict.WELL:
        return
    if other := tables.difference():
        what = f"{other}: they were created by a different version of the software"
        yield Finding("tables", Verdict.WRONG, what, tables.cure())
        return
    yield _writable()
    yield _clock()
    yield from _hosts(clock)
    yield from _queue(clock())


def examine_stores(clock: Clock) -> Iterator[Finding]:
    """Yield findings about the stores, and samples of their content."""
    first = (parts.database, parts.migrations)
    if any(look(clock()) != parts.WELL for look in first) or tables.difference():
        return  # reported by another group
    stores = finding_of("stores", parts.stores, clock(), STORES_CURE)
    yield stores
    if stores.verdict is Verdict.WELL:
        yield _replays()
        yield _archives()


def _writable() -> Finding:
    try:
        with transaction.atomic():
            Ladder.objects.filter(pk=0).update(weight=1.0)
            transaction.set_rollback(True)
    except DatabaseError as problem:
        return Finding("writing", Verdict.WRONG, str(problem), "is the disk full or read-only?")
    return Finding("writing", Verdict.WELL, "the database accepts changes")


def _clock() -> Finding:
    offset = clock_offset()
    if abs(offset.proven) <= MOST_LEAD:
        return Finding("clock", Verdict.WELL, "agrees with the database")
    seconds = abs(offset.value.total_seconds())
    margin = offset.uncertainty.total_seconds()
    side = "ahead of" if offset.value > timedelta(0) else "behind"
    what = f"{seconds:.0f} s (± {margin:.1f} s) {side} the database"
    return Finding("clock", Verdict.WRONG, what, "set the clock, and synchronise it with NTP")


def _hosts(clock: Clock) -> Iterator[Finding]:
    cure = "start `damrak-referee` and `damrak-ladder worker` on the same machine; check their logs"
    yield finding_of("hosts", parts.hosts, clock(), cure)
    hosts = list(Host.objects.order_by("name"))
    # Hosts keep reporting during the query: only a time after its end shows a clock that is ahead.
    now = clock()
    for host in hosts:
        part = f"host {host.name}"
        silent = (now - host.last_seen).total_seconds()
        if status_of(host, now) is HostStatus.SILENT:
            cure = "start its worker and its referee if it should play; check its clock"
            yield Finding(part, Verdict.DOUBTFUL, f"no heartbeat for {silent:.0f} s", cure)
        elif -silent > MOST_LEAD.total_seconds():
            cure = "set its clock, and synchronise it with NTP"
            yield Finding(part, Verdict.WRONG, f"its clock is {-silent:.0f} s fast", cure)
        elif host.state == HostState.QUARANTINED:
            cure = f"damrak-ladder hosts trust {host.name}, when the cause is fixed"
            yield Finding(part, Verdict.DOUBTFUL, f"quarantined: {english(host.reason)}", cure)
        elif not host.capacity:
            what = "accepts no blocks: its referee does not answer, or it is shutting down"
            cure = "start its referee, unless it is shutting down; check its log"
            yield Finding(part, Verdict.WRONG, what, cure)
        elif host.isolation == "none":
            cure = "run `damrak-referee sandbox check` on it to see what is missing"
            yield Finding(part, Verdict.DOUBTFUL, "rejects uploaded bots: no sandbox", cure)
        else:
            what = f"{host.running} of {host.capacity} matches, isolation {host.isolation}"
            yield Finding(part, Verdict.WELL, what)


def _queue(now: datetime) -> Iterator[Finding]:
    waiting = Block.objects.filter(state=BlockState.WAITING, due__lt=now)
    oldest = waiting.aggregate(due=Min("due"))["due"]
    late = 0.0 if oldest is None else (now - oldest).total_seconds()
    what = f"{waiting.count()} blocks are waiting, the longest for {late:.0f} s"
    if late > LATE_AFTER.total_seconds():
        cure = "check the workers; blocks with remote bots wait until these connect"
        yield Finding("queue", Verdict.DOUBTFUL, what, cure)
    else:
        yield Finding("queue", Verdict.WELL, what)
    stuck = Block.objects.filter(state=BlockState.WAITING, attempt__gte=STUCK_AFTER)
    stuck = stuck.filter(trouble__isnull=False)
    if (block := stuck.order_by("-attempt", "pk").first()) is not None:
        latest = block.attempts.select_related("host").latest("number")
        at = "" if latest.host is None else f" at {latest.host.name}"
        what = f"{stuck.count()} failed at least {STUCK_AFTER} times"
        told = f"block {block.pk}, last error{at}: {english(block.trouble)}"
        cure = "it is retried automatically; for details see the log of this machine"
        yield Finding("stuck blocks", Verdict.DOUBTFUL, f"{what}; {told}", cure)
    dead_blocks = Block.objects.filter(state=BlockState.DEAD).exclude(purpose=Purpose.PLAY)
    if dead := dead_blocks.count():
        cure = "run `damrak-ladder blocks dead`, then `damrak-ladder blocks requeue`"
        yield Finding("dead blocks", Verdict.DOUBTFUL, f"{dead} failed too often", cure)


def _replays() -> Finding:
    found = inspect_sample(SAMPLE, random.Random())  # noqa: S311 - a sample
    if found:
        what = f"{len(found)} of {SAMPLE}: match {found[0].match}: {found[0].problem}"
        cure = "restore them from a backup; check the disk"
        if found[0].problem.startswith("signature:"):
            key = (
                "if they were signed with another key, set DAMRAK_LADDER_REPLAY_KEY to it on every "
                "machine, or list its public key in DAMRAK_LADDER_EARLIER_REPLAY_KEYS"
            )
            cure = f"{key}; else {cure}"
        return Finding("replays", Verdict.WRONG, what, cure)
    return Finding("replays", Verdict.WELL, "a sample is intact and signed with the current key")


def _archives() -> Finding:
    store = archive_store()
    chosen = Version.objects.filter(kind=Kind.UPLOADED).order_by("?")[:SAMPLE]
    for version in chosen:
        try:
            store.get(version.content)
        except ArchiveDamaged as problem:
            cure = "restore it from a backup; check that all machines use the same archive storage"
            return Finding("archives", Verdict.WRONG, f"{version}: {problem}", cure)
    return Finding("archives", Verdict.WELL, "a sample is complete")
