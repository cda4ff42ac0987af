"""The state of hosts: availability, quarantine and trust."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from django.conf import settings

from damrak_ladder.matches.models import Block, BlockState, Host, HostState
from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.wording import english

SINCE: Final = "at"
"""The key of a host's evidence with the start of its quarantine, in ISO format."""

LIFTED: Final = "lifted"
"""The key with the time at which the quarantine was lifted."""


SILENT_AFTER: Final = timedelta(seconds=20)
"""Four heartbeats: a host that has sent none for this long is not given any blocks."""

_LEAST_SILENCE: Final = timedelta(seconds=10)  # with less, a single late heartbeat would suffice


class HostStatus(StrEnum):
    """The availability of a host."""

    READY = "ready"
    CLOSED = "closed"  # its worker reports that it takes no blocks
    QUARANTINED = "quarantined"
    SILENT = "silent"  # no heartbeat, so that all else is unknown


def silent_after() -> timedelta:
    """Return how long a host may go without a heartbeat: less than usual with short leases."""
    lease = timedelta(seconds=settings.DAMRAK_LEASE_SECONDS)
    return max(_LEAST_SILENCE, min(SILENT_AFTER, lease))


def status_of(host: Host, now: datetime) -> HostStatus:
    """Return the status of this host; silence takes precedence, as the rest may be outdated."""
    if now - host.last_seen > silent_after():
        return HostStatus.SILENT
    if host.state == HostState.QUARANTINED:
        return HostStatus.QUARANTINED
    return HostStatus.READY if host.capacity else HostStatus.CLOSED


def described(host: Host, now: datetime) -> dict[str, Any]:
    """Return the host for commands and the API; `running` is None if it is unknown."""
    status = status_of(host, now)
    return {
        "name": host.name,
        "state": str(host.state),
        "status": str(status),
        "last_seen": host.last_seen,
        "silent_s": round(max(0.0, (now - host.last_seen).total_seconds())),
        "running": None if status is HostStatus.SILENT else host.running,
        "capacity": host.capacity,
        "isolation": host.isolation,
        "lobby": host.lobby,
        "reason": english(host.reason),
    }


def quarantine(host_id: int, reason: Message, evidence: dict[str, Any]) -> bool:
    """Quarantine a host; return False if it is in quarantine already.

    Blocks that wait for this host are released for others.
    """
    trusted = Host.objects.filter(pk=host_id, state=HostState.TRUSTED)
    if not trusted.update(state=HostState.QUARANTINED, reason=reason, evidence=evidence):
        return False
    waiting = Block.objects.filter(host=host_id, state=BlockState.WAITING)
    waiting.update(host=None, sent=None)
    return True


def trust(host_id: int, now: datetime) -> bool:
    """Let a host play again, by an organiser's decision; False if it is not in quarantine.

    Its earlier record no longer counts against it.
    """
    quarantined = Host.objects.filter(pk=host_id, state=HostState.QUARANTINED)
    return bool(
        quarantined.update(state=HostState.TRUSTED, reason=None, evidence={LIFTED: now.isoformat()})
    )


def trusted_since(host: Host) -> datetime | None:
    """Return when an organiser last lifted its quarantine."""
    return _moment(host, LIFTED)


def quarantined_since(host: Host) -> datetime | None:
    """Return when the host was quarantined."""
    return _moment(host, SINCE)


def _moment(host: Host, name: str) -> datetime | None:
    said = host.evidence.get(name) if isinstance(host.evidence, dict) else None
    return datetime.fromisoformat(said) if isinstance(said, str) else None
