"""API of match analyses: requests and results."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status

from damrak_ladder.analyses.models import Analysis, AnalysisState
from damrak_ladder.analyses.requests import analysis_of, content_of, request as request_for
from damrak_ladder.api import types
from damrak_ladder.api.access import any_token_or_none, everybody_by_name, who
from damrak_ladder.api.answers import OPEN
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.tournaments.viewers import set_cached, viewer_of
from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.tournaments.visibility import visible_matches

WITHDRAWN_AFTER: Final = 300
"""Cache time in seconds: the results of a host may be withdrawn and the match played again."""

AGAIN_AFTER: Final = "5"

router = Router(tags=["matches"])


class AnalysisShape(Schema):
    """The state of an analysis, and its result once it is done."""

    match: int
    state: types.AnalysisState
    trouble: str
    analysis: types.AnalysisContent | None


@router.get(
    "/matches/{int:match_id}/analysis",
    auth=any_token_or_none,
    response={200: AnalysisShape, 202: AnalysisShape},
    operation_id="get_analysis",
    summary="Chances, costly decisions and luck of a match",
)
@refuses("not-analysed", "not-over")
def analysis(request: HttpRequest, response: HttpResponse, match_id: int) -> Status[AnalysisShape]:
    """Return the analysis of a recorded match: 202 while it waits or is computed, 404 if none."""
    found = analysis_of(_recorded(request, match_id))
    if found is None:
        problem = f"match {match_id} has not been analysed"
        raise Problem(404, "not-analysed", problem, "request it with POST to the same URL")
    return _answer(found, request, response)


@router.post(
    "/matches/{int:match_id}/analysis",
    auth=everybody_by_name,
    response={200: AnalysisShape, 202: AnalysisShape},
    operation_id="request_analysis",
    summary="Request the analysis of a match",
)
@refuses("not-over")
def request_analysis(
    request: HttpRequest, response: HttpResponse, match_id: int
) -> Status[AnalysisShape]:
    """Queue a recorded match for analysis; 202 until that is done. No token is required.

    A user, or an address, may queue twelve matches per hour. Requests for a match that is done or
    waits already are not counted.
    """
    found = request_for(_recorded(request, match_id), who(request), datetime.now(UTC))
    if found is None:
        wait = {"Retry-After": "300"}
        problem = "many matches are waiting to be analysed"
        raise Problem(503, "try-again", problem, "try again in a few minutes", wait)
    return _answer(found, request, response)


def _recorded(request: HttpRequest, match_id: int) -> Match:
    match = visible_matches(viewer_of(request)).select_related("block").filter(pk=match_id).first()
    if match is None:
        raise not_found(f"match {match_id}")
    if not match.replay or match.block.state != BlockState.RECORDED:
        problem = f"match {match_id} is {match.block.state} and cannot be analysed yet"
        raise Problem(409, "not-over", problem, "try again later")
    return match


def _answer(found: Analysis, request: HttpRequest, response: HttpResponse) -> Status[AnalysisShape]:
    content = content_of(found) if found.state == AnalysisState.DONE else None
    shape = AnalysisShape(
        match=found.match_id, state=found.state, trouble=found.trouble, analysis=content
    )
    if found.state not in (AnalysisState.WAITING, AnalysisState.RUNNING):
        set_cached(request, response, WITHDRAWN_AFTER)
        return Status(200, shape)
    for name, value in OPEN.items():
        response[name] = value
    response["Cache-Control"] = "no-store"
    response["Retry-After"] = AGAIN_AFTER
    return Status(202, shape.model_copy(update={"trouble": ""}))
