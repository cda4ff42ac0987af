"""Template filters of the organiser's desk."""

from __future__ import annotations

from django import template

from damrak_ladder.web.tournament_desk import texts

register = template.Library()


@register.filter
def release_name(value: str) -> str:
    """Return the audience of results."""
    return str(texts.RELEASES.get(value, value))


@register.filter
def effect_of(kind: str) -> str:
    """Return what an act does, in a sentence."""
    return str(texts.EFFECTS.get(kind, ""))
