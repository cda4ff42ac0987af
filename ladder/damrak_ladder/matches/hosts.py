"""Which hosts may play."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from django.conf import settings

from damrak_ladder.matches.models import Block, BlockState, Host, HostState

SINCE: Final = "at"
"""Where the evidence of a host says since when it is in quarantine, in the ISO format."""

LIFTED: Final = "lifted"
"""Where it says since when it is trusted again."""


SILENT_AFTER: Final = timedelta(seconds=20)
"""Four heartbeats: a host that has not been heard for so long gets nothing more to play."""

_LEAST_SILENCE: Final = timedelta(seconds=10)  # with less, one late heartbeat would do


class HostStatus(StrEnum):
    """What a host can do now."""

    READY = "ready"
    CLOSED = "closed"  # its worker reports that it takes nothing
    QUARANTINED = "quarantined"
    SILENT = "silent"  # no heartbeat, so nothing else is known


def silent_after() -> timedelta:
    """How long a host may be without a heartbeat: less than usual where leases are short."""
    lease = timedelta(seconds=settings.DAMRAK_LEASE_SECONDS)
    return max(_LEAST_SILENCE, min(SILENT_AFTER, lease))


def status_of(host: Host, now: datetime) -> HostStatus:
    """What this host can do; silence comes first, because it makes the rest out of date."""
    if now - host.last_seen > silent_after():
        return HostStatus.SILENT
    if host.state == HostState.QUARANTINED:
        return HostStatus.QUARANTINED
    return HostStatus.READY if host.capacity else HostStatus.CLOSED


def described(host: Host, now: datetime) -> dict[str, Any]:
    """The host for commands and the API; `running` is None when that is not known."""
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
        "reason": host.reason,
    }


def quarantine(host_id: int, reason: str, evidence: dict[str, Any]) -> bool:
    """Give a host nothing more to play; False if it is in quarantine already.

    What waits to be played there waits for others from now on.
    """
    trusted = Host.objects.filter(pk=host_id, state=HostState.TRUSTED)
    if not trusted.update(state=HostState.QUARANTINED, reason=reason[:500], evidence=evidence):
        return False
    waiting = Block.objects.filter(host=host_id, state=BlockState.WAITING)
    waiting.update(host=None, sent=None)
    return True


def trust(host_id: int, now: datetime) -> bool:
    """Let a host play again, by an organiser's decision; False if it is not in quarantine.

    What it did before is held against it no more.
    """
    quarantined = Host.objects.filter(pk=host_id, state=HostState.QUARANTINED)
    return bool(
        quarantined.update(state=HostState.TRUSTED, reason="", evidence={LIFTED: now.isoformat()})
    )


def trusted_since(host: Host) -> datetime | None:
    """When an organiser last lifted its quarantine."""
    return _moment(host, LIFTED)


def quarantined_since(host: Host) -> datetime | None:
    """When it was decided that nothing more is to be played there."""
    return _moment(host, SINCE)


def _moment(host: Host, name: str) -> datetime | None:
    said = host.evidence.get(name) if isinstance(host.evidence, dict) else None
    return datetime.fromisoformat(said) if isinstance(said, str) else None
