"""Lookup of bots by what people type: slugs, and the readable names of house bots on pages."""

from __future__ import annotations

from typing import Final

from django.db.models import Q

from damrak_ladder.bots.house import GUEST, PREFIX
from damrak_ladder.bots.models import Bot

IS_GUEST: Final = Q(slug__startswith=PREFIX + GUEST)
"""The condition for a stand-in for a person, which no list of bots shows."""


def begins(name: str) -> Q:
    """Return the condition for a bot whose slug or name begins like this; not for stand-ins."""
    return (Q(slug__startswith=name.lower()) | Q(name__istartswith=name)) & ~IS_GUEST


def slug_of(name: str) -> str | None:
    """Return the slug of the bot with this slug, or else of the first with this name."""
    return _first(Q(slug=name.lower())) or _first(Q(name__iexact=name))


def slug_like(name: str) -> str | None:
    """Return the same, or else the slug of the first bot whose name begins like this."""
    return slug_of(name) or _first(begins(name))


def _first(condition: Q) -> str | None:
    slugs = Bot.objects.filter(condition & ~IS_GUEST).order_by("slug")
    return slugs.values_list("slug", flat=True).first()
