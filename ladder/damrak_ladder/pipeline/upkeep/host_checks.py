"""Detection of deviating hosts: they are quarantined, and their doubtful results are withdrawn."""

from __future__ import annotations

import contextlib
import logging
import math
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Q

from damrak_ladder.bots.models import Kind
from damrak_ladder.matches import hosts, residuals
from damrak_ladder.matches.models import (
    Attempt,
    Blame,
    Block,
    BlockState,
    Host,
    HostState,
    MatchTimings,
    Outcome,
    Purpose,
    SeatResult,
)
from damrak_ladder.matches.residuals import Deviation, PlayedBlock, Record, Turnout
from damrak_ladder.matches.timings import unpack
from damrak_ladder.matches.withdrawal import withdraw
from damrak_ladder.message_codes import block_codes as codes
from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.wording import english
from damrak_ladder.notices import texts
from damrak_ladder.notices.creation import tell_staff
from damrak_ladder.notices.kinds import Kind as NoticeKind
from damrak_ladder.pipeline.outcome.settlement import unsettle
from damrak_ladder.standings.read.expectation import expectations
from damrak_ladder.tournaments.errors import Refused

LOOKED_AT: Final = timedelta(days=7)
ALIVE: Final = timedelta(minutes=5)
"""A host not seen for this long is not counted among those that could take over."""

# Purposes whose results can be withdrawn; of tournaments, only until later rounds rest on them.
_UNDONE: Final = (
    Purpose.LADDER,
    Purpose.QUALIFICATION,
    Purpose.CANARY,
    Purpose.TEST,
    Purpose.TOURNAMENT,
)

_log = logging.getLogger(__name__)


def check_hosts(now: datetime) -> list[Host]:
    """Quarantine the host that deviates most clearly, and have its doubtful blocks replayed.

    The blocks are played again on other hosts. At most one host per call: without it, the others
    may turn out to be honest. Returns the hosts that were quarantined.
    """
    trusted = list(Host.objects.filter(state=HostState.TRUSTED).order_by("pk"))
    clearest = residuals.clearest({host.name: record_of(host, now) for host in trusted})
    caught = []
    if clearest is not None:
        name, found = clearest
        host = next(host for host in trusted if host.name == name)
        reason = reason_of(found)
        if any(one.last_seen >= now - ALIVE for one in trusted if one is not host):
            _log.error("host_quarantined", extra={"host": name, "why": english(reason)})
            if hosts.quarantine(host.pk, reason, evidence_of(found, now)):
                caught = [host]
        else:  # no other host could play
            _log.error("host_deviates", extra={"host": name, "why": english(reason)})
    follow_up(now)
    return caught


def follow_up(now: datetime) -> int:
    """Withdraw doubtful blocks of quarantined hosts, and notify staff; return the number of blocks.

    Idempotent: it resumes where an interrupted call stopped.
    """
    count = 0
    for host in Host.objects.filter(state=HostState.QUARANTINED).order_by("pk"):
        evidence = host.evidence if isinstance(host.evidence, dict) else {}
        doubtful = Q(pk__in=evidence.get("doubtful", []))
        if (since := hosts.quarantined_since(host)) is not None:
            doubtful |= Q(finished__gt=since)  # it was being played at the time
        blocks = Block.objects.filter(
            doubtful, host=host, state=BlockState.RECORDED, purpose__in=_UNDONE
        )
        reason = host.reason or codes.OperatorDecision()
        detail = codes.HostQuarantined(host.name, reason)
        for block_id, attempt in blocks.order_by("pk").values_list("pk", "attempt"):
            # If later rounds of a tournament rest on the block, its organisers decide.
            with contextlib.suppress(Refused):
                count += withdraw(block_id, attempt, detail, now, unsettle)
        tell_staff(
            NoticeKind.HOST_QUARANTINED,
            f"quarantine:{host.pk}:{evidence.get(hosts.SINCE, '')}",
            *texts.host_quarantined(host.name, reason),
            "/hosts/",
            now,
        )
    return count


def reason_of(found: Deviation) -> Message:
    """Return the deviation as a message."""
    comparison = codes.HostComparison(found.here, found.elsewhere, found.chance)
    match found.question:
        case "results":
            return codes.HostScores(found.version or 0, comparison)
        case "wild results":
            return codes.HostResults(comparison)
        case "slowness":
            return codes.HostSlow(found.effect, comparison)
        case "bot faults":
            return codes.HostBotFaults(found.effect, comparison)
    return codes.HostAttempts(found.effect, comparison)


def evidence_of(found: Deviation, now: datetime) -> dict[str, Any]:
    """Return the deviation as JSON."""
    return {
        hosts.SINCE: now.isoformat(),
        "question": found.question,
        "chance": found.chance,
        "effect": found.effect if math.isfinite(found.effect) else None,
        "here": found.here,
        "elsewhere": found.elsewhere,
        "version": found.version,
        "doubtful": list(found.doubtful),
    }


def record_of(host: Host, now: datetime) -> Record:
    """Return the host's record within `LOOKED_AT`, or since its quarantine was lifted."""
    since = now - LOOKED_AT
    lifted = hosts.trusted_since(host)
    if lifted is not None:
        since = max(since, lifted)
    recorded = Block.objects.filter(
        host=host, state=BlockState.RECORDED, finished__gt=since, purpose__in=_UNDONE
    )
    latest = list(
        recorded.order_by("-finished", "-pk").values_list("pk", flat=True)[: residuals.LENGTHS[-1]]
    )
    attempts = Attempt.objects.filter(host=host, started__gt=since).exclude(outcome="")
    troubles = attempts.filter(outcome=Outcome.VOID, faults__owner=Blame.HOST).distinct()
    return Record(
        blocks=_blocks(latest[::-1]),
        attempts=attempts.count(),
        troubles=tuple(one.ended.timestamp() for one in troubles if one.ended is not None),
    )


def _blocks(keys: list[int]) -> tuple[PlayedBlock, ...]:
    scores = {
        (block, one.version_id): one.residual
        for block, found in expectations(keys).items()
        for one in found
    }
    thinking = _thinking(keys)
    faults: dict[int, dict[int, int]] = defaultdict(dict)
    for block, version, fault in SeatResult.objects.filter(seat__match__block__in=keys).values_list(
        "seat__match__block", "seat__version", "fault"
    ):
        faults[block][version] = faults[block].get(version, 0) + bool(fault)
    return tuple(
        PlayedBlock(
            key,
            tuple(
                Turnout(version, scores.get((key, version)), thinking.get((key, version)), count)
                for version, count in sorted(faults[key].items())
            ),
        )
        for key in keys
    )


def _thinking(keys: list[int]) -> dict[tuple[int, int], float]:
    """Return the mean logarithm of decision times, by block and version.

    Remote bots are excluded, as they do not think on this host.
    """
    taken: dict[tuple[int, int], list[float]] = defaultdict(list)
    rows = MatchTimings.objects.filter(match__block__in=keys)
    for row in rows.select_related("match").prefetch_related("match__seats__version"):
        seats = {seat.number: seat.version for seat in row.match.seats.all()}
        timings = unpack(bytes(row.data))
        for seat, microseconds in zip(timings.seats, timings.total_us, strict=True):
            version = seats[seat]
            if version.kind != Kind.REMOTE:
                taken[row.match.block_id, version.pk].append(math.log(microseconds + 1))
    return {key: _mean(values) for key, values in taken.items()}


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)
