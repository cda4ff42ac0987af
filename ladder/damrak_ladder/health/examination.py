"""A thorough look at every part: what is wrong, and the cure."""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core import mail
from django.core.checks import WARNING, run_checks
from django.db import DatabaseError, connection, transaction
from django.db.models import Min

from damrak_ladder.bots.archives import archive_store
from damrak_ladder.bots.errors import ArchiveDamaged
from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.health import parts, tables
from damrak_ladder.health.middleware import PATH
from damrak_ladder.matches.clock import MOST_LEAD, clock_lead
from damrak_ladder.matches.models import Block, BlockState, Host, HostState, Ladder
from damrak_ladder.referees.connecting import own_control
from damrak_ladder.referees.errors import RefereeTrouble
from damrak_ladder.replays.inspection import inspect_sample

SAMPLE: Final = 20
"""So many replays and archives are looked at."""

STUCK_AFTER: Final = 3
"""A block that was tried so often and waits again has met with more than an accident."""

LATE_AFTER: Final = timedelta(minutes=10)
"""A block that has been due for so long is not being played."""


class Verdict(StrEnum):
    """How a part is."""

    WELL = "well"
    DOUBTFUL = "doubtful"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about a part, and what to do about it."""

    part: str
    verdict: Verdict
    what: str
    cure: str = ""


def examine(now: datetime) -> Iterator[Finding]:
    """Look at every part, one after the other; what needs the database is left out without it."""
    yield from _settings()
    yield from _home()
    database = _quick("database", parts.database, now, "start it, or check DATABASE_URL")
    yield database
    if database.verdict is Verdict.WELL:
        yield from _database(now)
    broker = _quick(
        "broker",
        parts.broker,
        now,
        "start it, or start it anew if it hangs; check DAMRAK_LADDER_BROKER; nothing is lost",
    )
    yield broker
    if broker.verdict is Verdict.WELL:
        cure = "start `damrak-ladder clerk` and `damrak-ladder beat`"
        yield _quick("clerk", parts.clerk, now, cure)
    yield from _referee()
    yield _site()
    yield _quick("disk", parts.disk, now, "make room, or move DAMRAK_HOME")
    yield from _mail()


def _quick(part: str, look: Callable[[datetime], str], now: datetime, cure: str) -> Finding:
    found = look(now)
    if found == parts.WELL:
        return Finding(part, Verdict.WELL, "well")
    return Finding(part, Verdict.WRONG, found, cure)


def _settings() -> Iterator[Finding]:
    said = run_checks(include_deployment_checks=False)
    grave = [message for message in said if message.level >= WARNING]
    for message in grave:
        yield Finding("settings", Verdict.WRONG, message.msg, message.hint or "")
    if not grave:
        kind = connection.vendor
        yield Finding("settings", Verdict.WELL, f"{settings.DAMRAK_URL}, {kind}")


def _home() -> Iterator[Finding]:
    home = Path(settings.DAMRAK_HOME)
    mode = stat.S_IMODE(home.stat().st_mode)
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield Finding(
            "data folder", Verdict.DOUBTFUL, f"{home}: others may look in", f"chmod 700 {home}"
        )
    elif not os.access(home, os.W_OK | os.X_OK):
        yield Finding(
            "data folder", Verdict.WRONG, f"{home}: cannot be written", "change its owner"
        )
    else:
        yield Finding("data folder", Verdict.WELL, str(home))


def _database(now: datetime) -> Iterator[Finding]:
    migrated = _quick("migrations", parts.migrations, now, "damrak-ladder migrate")
    yield migrated
    if migrated.verdict is not Verdict.WELL:
        return
    if other := tables.difference():
        what = f"{other}: they were made by other sources"
        yield Finding("tables", Verdict.WRONG, what, tables.cure())
        return
    yield _writable()
    yield _clock()
    yield from _hosts(now)
    yield from _queue(now)
    stores = _quick("stores", parts.stores, now, "start it, or check DAMRAK_LADDER_S3_…")
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
    return Finding("writing", Verdict.WELL, "the database takes changes")


def _clock() -> Finding:
    lead = clock_lead()
    if abs(lead) <= MOST_LEAD:
        return Finding("clock", Verdict.WELL, "that of the database")
    seconds = abs(lead.total_seconds())
    what = f"{seconds:.0f} s {'ahead of' if lead > timedelta(0) else 'behind'} that of the database"
    return Finding("clock", Verdict.WRONG, what, "set it right, and have NTP keep it so")


def _hosts(now: datetime) -> Iterator[Finding]:
    cure = "start `damrak-referee` and, beside it, `damrak-ladder worker`; look at their logs"
    yield _quick("hosts", parts.hosts, now, cure)
    for host in Host.objects.order_by("name"):
        part = f"host {host.name}"
        silent = (now - host.last_seen).total_seconds()
        if silent > parts.SILENT_AFTER_S:
            cure = "start its worker and its referee, if it is to play; is its clock behind?"
            yield Finding(part, Verdict.DOUBTFUL, f"silent for {silent:.0f} s", cure)
        elif -silent > MOST_LEAD.total_seconds():
            cure = "set its clock right, and have NTP keep it so"
            yield Finding(part, Verdict.WRONG, f"its clock is {-silent:.0f} s ahead of ours", cure)
        elif host.state == HostState.QUARANTINED:
            cure = f"damrak-ladder hosts trust {host.name}, once the reason is gone"
            yield Finding(part, Verdict.DOUBTFUL, f"quarantined: {host.reason}", cure)
        elif not host.capacity:
            what = "takes nothing: its referee does not answer, or it is about to stop"
            cure = "start its referee, unless it is being stopped; look at its log"
            yield Finding(part, Verdict.WRONG, what, cure)
        elif host.isolation == "none":
            cure = "damrak-referee sandbox check, there, says what is missing"
            yield Finding(part, Verdict.DOUBTFUL, "refuses uploaded bots: no sandbox", cure)
        else:
            what = f"{host.running} of {host.capacity} matches, isolation {host.isolation}"
            yield Finding(part, Verdict.WELL, what)


def _queue(now: datetime) -> Iterator[Finding]:
    waiting = Block.objects.filter(state=BlockState.WAITING, due__lt=now)
    oldest = waiting.aggregate(due=Min("due"))["due"]
    late = 0.0 if oldest is None else (now - oldest).total_seconds()
    what = f"{waiting.count()} blocks wait, the longest for {late:.0f} s"
    if late > LATE_AFTER.total_seconds():
        cure = "are workers alive? Blocks with remote bots wait until those connect"
        yield Finding("queue", Verdict.DOUBTFUL, what, cure)
    else:
        yield Finding("queue", Verdict.WELL, what)
    stuck = Block.objects.filter(state=BlockState.WAITING, attempt__gte=STUCK_AFTER)
    stuck = stuck.exclude(trouble="")
    if (block := stuck.order_by("-attempt", "pk").first()) is not None:
        latest = block.attempts.select_related("host").latest("number")
        at = "" if latest.host is None else f" at {latest.host.name}"
        what = f"{stuck.count()} came to nothing {STUCK_AFTER} times or more"
        told = f"block {block.pk}, the last time{at}: {block.trouble}"
        cure = "it goes on by itself once that is cured; the log there says more"
        yield Finding("stuck blocks", Verdict.DOUBTFUL, f"{what}; {told}", cure)
    if dead := Block.objects.filter(state=BlockState.DEAD).count():
        cure = "damrak-ladder blocks dead, then damrak-ladder blocks requeue"
        yield Finding("dead blocks", Verdict.DOUBTFUL, f"{dead} failed too often", cure)


def _replays() -> Finding:
    found = inspect_sample(SAMPLE, random.Random())  # noqa: S311 - a sample
    if found:
        what = f"{len(found)} of {SAMPLE}: match {found[0].match}: {found[0].problem}"
        cure = "restore them from a backup; check the disk"
        if found[0].problem.startswith("signature:"):
            key = (
                "set DAMRAK_LADDER_REPLAY_KEY to the key they were signed with, on every machine, "
                "or list its public key in DAMRAK_LADDER_EARLIER_REPLAY_KEYS"
            )
            cure = f"{key}; if it is that, {cure}"
        return Finding("replays", Verdict.WRONG, what, cure)
    return Finding("replays", Verdict.WELL, "a sample is whole, and signed by our key")


def _archives() -> Finding:
    store = archive_store()
    chosen = Version.objects.filter(kind=Kind.UPLOADED).order_by("?")[:SAMPLE]
    for version in chosen:
        try:
            store.get(version.content)
        except ArchiveDamaged as problem:
            cure = "restore it from a backup; do all machines see the same archives?"
            return Finding("archives", Verdict.WRONG, f"{version}: {problem}", cure)
    return Finding("archives", Verdict.WELL, "a sample is there")


def _referee() -> Iterator[Finding]:
    if not settings.DAMRAK_REFEREE:
        return  # machines without one are as good
    try:
        with own_control() as control:
            status = control.status()
    except RefereeTrouble as problem:
        start = "start it, or start it anew if it hangs: damrak-referee"
        cure = f"{start}; check DAMRAK_LADDER_REFEREE and its key"
        yield Finding("referee", Verdict.WRONG, str(problem), cure)
        return
    if status.isolation == "none":
        missing = "; ".join(status.missing) or "no sandbox"
        yield Finding("sandbox", Verdict.DOUBTFUL, missing, "docs/operators/sandbox.md")
    yield Finding("referee", Verdict.WELL, f"{status.running} of {status.capacity} matches")


def _site() -> Finding:
    address = urlsplit(settings.DAMRAK_URL)
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    asked = kind(address.netloc, timeout=5)
    try:
        asked.request("HEAD", PATH)
        asked.getresponse()
    except (OSError, HTTPException) as problem:
        what = f"{settings.DAMRAK_URL} does not answer: {problem}"
        cure = "start `damrak-ladder site`, or start it anew if it hangs; look at its proxy"
        return Finding("site", Verdict.DOUBTFUL, what, cure)
    finally:
        asked.close()
    return Finding("site", Verdict.WELL, f"{settings.DAMRAK_URL} answers")


def _mail() -> Iterator[Finding]:
    if "filebased" in settings.EMAIL_BACKEND:
        yield Finding("mail", Verdict.WELL, "is kept as files in the data folder")
        return
    try:
        with mail.get_connection(timeout=10):
            pass
    except OSError as problem:
        cure = "check DAMRAK_LADDER_MAIL_URL; nobody can confirm an address meanwhile"
        yield Finding("mail", Verdict.WRONG, f"cannot be sent: {problem}", cure)
        return
    yield Finding("mail", Verdict.WELL, f"{settings.EMAIL_HOST} takes it")
