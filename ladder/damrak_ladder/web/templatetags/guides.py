"""For templates: the languages of the site, and the same page in the others."""

from __future__ import annotations

from typing import Any

from django import template
from django.conf import settings
from django.utils.translation import get_language_from_path

register = template.Library()


@register.simple_tag
def languages() -> list[tuple[str, str]]:
    """Each language by its own name; Django's tag would translate the names that it knows."""
    return list(settings.LANGUAGES)


@register.simple_tag(takes_context=True)
def alternates(context: dict[str, Any]) -> list[tuple[str, str]]:
    """Each language and the address of this page in it; none for pages that have no language."""
    request = context.get("request")
    if request is None or get_language_from_path(request.path) is None:
        return []
    # Only what stands in front differs: no address is translated.
    place = request.path[request.path.index("/", 1) :]
    found = [(code, f"{settings.DAMRAK_URL}/{code}{place}") for code, _ in settings.LANGUAGES]
    return [*found, ("x-default", settings.DAMRAK_URL + place)]
