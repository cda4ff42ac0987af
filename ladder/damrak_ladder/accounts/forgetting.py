"""Forget sessions that have run out, which nothing else removes."""

from __future__ import annotations

from datetime import datetime

from django.contrib.sessions.models import Session


def forget_sessions(now: datetime) -> int:
    """Delete them; how many."""
    return Session.objects.filter(expire_date__lt=now).delete()[0]
