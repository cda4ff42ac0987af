"""Template tags for the languages of the site, and for the same page in other languages."""

from __future__ import annotations

from typing import Any

from django import template
from django.conf import settings
from django.utils.translation import get_language_from_path

register = template.Library()


@register.simple_tag
def languages() -> list[tuple[str, str]]:
    """Return each language with its own name; Django's tag would translate the names."""
    return list(settings.LANGUAGES)


@register.simple_tag(takes_context=True)
def alternates(context: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the address of this page in each language; empty for pages without a language."""
    request = context.get("request")
    if request is None or get_language_from_path(request.path) is None:
        return []
    # Only the prefix differs: the rest of an address is the same in all languages.
    place = request.path[request.path.index("/", 1) :]
    found = [(code, f"{settings.DAMRAK_URL}/{code}{place}") for code, _ in settings.LANGUAGES]
    return [*found, ("x-default", settings.DAMRAK_URL + place)]
