"""A thorough examination of every part, with problems and their fixes."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core import mail
from django.core.checks import WARNING, run_checks
from django.db import connection
from django.utils import timezone

from damrak_ladder.health import parts
from damrak_ladder.health.addresses import LIVE
from damrak_ladder.health.checks import Run
from damrak_ladder.health.findings import Clock, Finding, Verdict, finding_of
from damrak_ladder.health.records import (
    DATABASE_CURE,
    STORES_CURE,
    examine_database,
    examine_stores,
)
from damrak_ladder.referees.connections import own_control
from damrak_ladder.referees.errors import RefereeTrouble

DEADLINE_S: Final = 4.0
"""For each group of parts; with the start of the process, an answer takes less than ten seconds."""

_SITE_S: Final = 3.0
_MAIL_S: Final = 3.0
_BROKER_CURE: Final = (
    "start it, or restart it if it hangs; check DAMRAK_LADDER_BROKER; no data is lost"
)
_REFEREE_CURE: Final = (
    "start it, or restart it if it hangs: damrak-referee; check DAMRAK_LADDER_REFEREE and its key"
)
_SITE_CURE: Final = "start `damrak-ladder site`, or restart it if it hangs; check its proxy"
_MAIL_CURE: Final = "check DAMRAK_LADDER_MAIL_URL; until then, users cannot confirm their addresses"


@dataclass(frozen=True, slots=True)
class _Group:
    """Parts that are examined in sequence, concurrently with the other groups."""

    part: str  # reported if the group does not answer
    look: Callable[[Clock], Iterator[Finding]]
    cure: str


def examine(clock: Clock = timezone.now) -> Iterator[Finding]:
    """Examine all parts; report those that have not answered by the deadline.

    Settings come first and alone: they need processor time, not an answer, and would otherwise use
    up the deadlines of the parts that are examined concurrently. Examinations that need the
    database are left out without it.
    """
    settings_found: list[Finding] = []
    _collect(_SETTINGS, clock, settings_found)
    yield from settings_found
    started = []
    for group in _GROUPS:
        found: list[Finding] = []
        started.append((group, found, Run(partial(_collect, group, clock, found), _reraise)))
    for group, found, run in started:
        is_over = run.result(DEADLINE_S) is not None
        yield from list(found)
        if not is_over:
            what = f"no response within {DEADLINE_S:g} s"
            yield Finding(group.part, Verdict.WRONG, what, group.cure)


def _collect(group: _Group, clock: Clock, found: list[Finding]) -> bool:
    try:
        for finding in group.look(clock):
            found.append(finding)
    except Exception as problem:  # noqa: BLE001 - the other parts are still of interest
        what = f"{type(problem).__name__}: {problem}"
        found.append(Finding(group.part, Verdict.WRONG, what, group.cure))
    return True


def _reraise(problem: Exception) -> bool:
    raise problem  # `_collect` catches all exceptions


def _settings(_: Clock) -> Iterator[Finding]:
    said = run_checks(include_deployment_checks=False)
    grave = [message for message in said if message.level >= WARNING]
    for message in grave:
        yield Finding("settings", Verdict.WRONG, message.msg, message.hint or "")
    if not grave:
        kind = connection.vendor
        yield Finding("settings", Verdict.WELL, f"{settings.DAMRAK_URL}, {kind}")


def _home(_: Clock) -> Iterator[Finding]:
    home = Path(settings.DAMRAK_HOME)
    mode = stat.S_IMODE(home.stat().st_mode)
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield Finding(
            "data folder", Verdict.DOUBTFUL, f"{home}: other users have access", f"chmod 700 {home}"
        )
    elif not os.access(home, os.W_OK | os.X_OK):
        yield Finding("data folder", Verdict.WRONG, f"{home}: not writable", "change its owner")
    else:
        yield Finding("data folder", Verdict.WELL, str(home))


def _broker(clock: Clock) -> Iterator[Finding]:
    broker = finding_of("broker", parts.broker, clock(), _BROKER_CURE)
    yield broker
    if broker.verdict is Verdict.WELL:
        cure = "start `damrak-ladder clerk` and `damrak-ladder beat`"
        yield finding_of("clerk", parts.clerk, clock(), cure)


def _disk(clock: Clock) -> Iterator[Finding]:
    yield finding_of("disk", parts.disk, clock(), "free disk space, or move DAMRAK_HOME")


def _referee(_: Clock) -> Iterator[Finding]:
    if not settings.DAMRAK_REFEREE:
        return  # a machine does not need one
    try:
        with own_control() as control:
            status = control.status()
    except RefereeTrouble as problem:
        yield Finding("referee", Verdict.WRONG, str(problem), _REFEREE_CURE)
        return
    if status.isolation == "none":
        missing = "; ".join(status.missing) or "no sandbox"
        yield Finding("sandbox", Verdict.DOUBTFUL, missing, "docs/operators/sandbox.md")
    yield Finding("referee", Verdict.WELL, f"{status.running} of {status.capacity} matches")


def _site(_: Clock) -> Iterator[Finding]:
    address = urlsplit(settings.DAMRAK_URL)
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    asked = kind(address.netloc, timeout=_SITE_S)
    try:
        asked.request("HEAD", LIVE)
        asked.getresponse()
    except (OSError, HTTPException) as problem:
        what = f"{settings.DAMRAK_URL} does not answer: {problem}"
        yield Finding("site", Verdict.DOUBTFUL, what, _SITE_CURE)
        return
    finally:
        asked.close()
    yield Finding("site", Verdict.WELL, f"{settings.DAMRAK_URL} answers")


def _mail(_: Clock) -> Iterator[Finding]:
    if "filebased" in settings.EMAIL_BACKEND:
        yield Finding("mail", Verdict.WELL, "saved as files in the data folder")
        return
    try:
        with mail.get_connection(timeout=_MAIL_S):
            pass
    except OSError as problem:
        yield Finding("mail", Verdict.WRONG, f"cannot be sent: {problem}", _MAIL_CURE)
        return
    yield Finding("mail", Verdict.WELL, f"{settings.EMAIL_HOST} accepts mail")


_SETTINGS: Final = _Group("settings", _settings, "see the settings")

_GROUPS: Final = (
    _Group("data folder", _home, "check the disk of DAMRAK_HOME"),
    _Group("database", examine_database, DATABASE_CURE),
    _Group("stores", examine_stores, STORES_CURE),
    _Group("broker", _broker, _BROKER_CURE),
    _Group("referee", _referee, _REFEREE_CURE),
    _Group("site", _site, _SITE_CURE),
    _Group("disk", _disk, "check the disk of DAMRAK_HOME"),
    _Group("mail", _mail, _MAIL_CURE),
)
