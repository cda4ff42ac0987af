"""Template tag for points by source, for any page that shows versions."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils import timezone

from damrak_ladder.analyses.sources import GAMES, sources_of
from damrak_ladder.bots.models import Version

register = template.Library()


@register.inclusion_tag("web/bot/_sources.html")
def points_by_source(*versions: Version) -> dict[str, Any]:
    """Return a table of where the points of these versions come from, in two or three queries."""
    found = sources_of([version.pk for version in versions], timezone.now())
    rows = [(version, found[version.pk]) for version in versions if version.pk in found]
    return {"rows": rows, "is_one": len(versions) == 1, "most": GAMES}
