"""Queries of the security log."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q, QuerySet

from damrak_ladder.security.models import SecurityLogEntry


def entries(
    *,
    kind: str = "",
    user: str = "",
    address: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[SecurityLogEntry]:
    """Return the entries that match all of these filters, newest first."""
    wanted = Q()
    if kind:
        wanted &= Q(kind=kind)
    if user:
        wanted &= Q(name__iexact=user)
    if address:
        wanted &= Q(address=address)
    if since is not None:
        wanted &= Q(at__gte=since)
    if until is not None:
        wanted &= Q(at__lt=until)
    return SecurityLogEntry.objects.filter(wanted).order_by("-pk")


def entries_before(moment: datetime) -> QuerySet[SecurityLogEntry]:
    """Return the entries that are older than this."""
    return SecurityLogEntry.objects.filter(at__lt=moment)
