"""The template tag for the prediction of a match."""

from __future__ import annotations

from typing import Any

from django import template

from damrak_ladder.matches.models import Match
from damrak_ladder.web.predictions.picks import Pick, picks_of

register = template.Library()


@register.inclusion_tag("web/predictions/_prediction.html", takes_context=True)
def prediction(context: dict[str, Any], match: Match) -> dict[str, Any]:
    """Return the form to predict the winner of a match, or what became of the prediction."""
    return _shown(context, picks_of(context["request"], [match])[0])


@register.inclusion_tag("web/predictions/_prediction.html", takes_context=True)
def shown_pick(context: dict[str, Any], pick: Pick) -> dict[str, Any]:
    """Return the same for a pick that was read already."""
    return _shown(context, pick)


def _shown(context: dict[str, Any], pick: Pick) -> dict[str, Any]:
    hides_results = context.get("hides_results", False)
    return {"pick": pick, "next": context["request"].path, "hides_results": hides_results}
