"""What has been found out about a match."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status

from damrak_ladder.analyses.asking import ask, content_of
from damrak_ladder.analyses.models import AnalysisState
from damrak_ladder.api.access import everybody
from damrak_ladder.api.answers import OPEN, set_public
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.matches.models import BlockState, Match

WITHDRAWN_AFTER: Final = 300
"""Seconds: a match of a host that proves untrue is played again."""

AGAIN_AFTER: Final = "5"

router = Router(tags=["matches"])


class AnalysisShape(Schema):
    """How far the analysis is, and what it says once it is done."""

    match: int
    state: str
    trouble: str
    analysis: dict[str, Any] | None


@router.get(
    "/matches/{int:match_id}/analysis",
    auth=everybody,
    response={200: AnalysisShape, 202: AnalysisShape},
    summary="Chances, costly decisions and luck of a match",
)
def analysis(request: HttpRequest, response: HttpResponse, match_id: int) -> Status[AnalysisShape]:
    """The analysis of a recorded match. Asking lets it be computed: 202 until that is done."""
    match = Match.objects.select_related("block").filter(pk=match_id).first()
    if match is None:
        raise not_found(f"match {match_id}")
    if not match.replay or match.block.state != BlockState.RECORDED:
        problem = f"match {match_id} is {match.block.state}: there is nothing to analyse yet"
        raise Problem(409, "not-over", problem, "ask later")
    found = ask(match, datetime.now(UTC))
    if found is None:
        cure = "ask again in some minutes"
        raise Problem(
            503, "try-again", "many matches wait to be analysed", cure, {"Retry-After": "300"}
        )
    if found.state in (AnalysisState.WAITING, AnalysisState.RUNNING):
        for name, value in OPEN.items():
            response[name] = value
        response["Cache-Control"] = "no-store"
        response["Retry-After"] = AGAIN_AFTER
        unfinished = AnalysisShape(match=match_id, state=found.state, trouble="", analysis=None)
        return Status(202, unfinished)
    set_public(response, WITHDRAWN_AFTER)
    content = content_of(found) if found.state == AnalysisState.DONE else None
    shape = AnalysisShape(
        match=match_id, state=found.state, trouble=found.trouble, analysis=content
    )
    return Status(200, shape)
