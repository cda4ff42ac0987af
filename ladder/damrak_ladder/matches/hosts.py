"""Which hosts may play."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from damrak_ladder.matches.models import Block, BlockState, Host, HostState

SINCE: Final = "at"
"""Where the evidence of a host says since when it is in quarantine, in the ISO format."""

LIFTED: Final = "lifted"
"""Where it says since when it is trusted again."""


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
