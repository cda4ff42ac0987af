"""The operations that read tournaments."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema
from typing_extensions import TypeAliasType

from damrak_ladder.api.access import everybody_by_name
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.conditional import tag_with_serial
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.lists.cursors import LONGEST, cursor_at, fingerprint, key_at
from damrak_ladder.api.pagination import link_to_next
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.tournaments import answers, kinds
from damrak_ladder.api.tournaments.viewers import seen_tournament, viewer_of
from damrak_ladder.tournaments import documents, export
from damrak_ladder.tournaments.access import listed_tournaments
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.log.rules import MOST_STAGES
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.rule_history import rule_changes

PATH: Final = "/tournaments/{slug:slug}"
TableFormat = TypeAliasType("TableFormat", Literal["json", "csv"])
StageNumber = Annotated[int, Field(ge=0, lt=MOST_STAGES)]
_TEXT: Final = {"schema": {"type": "string"}}
_PLAYED: Final = (Phase.RUNNING, Phase.OVER, Phase.FINAL)
"""Phases that cannot be told apart while results are hidden."""

router = Router(tags=["tournaments"])


class TournamentFilter(Schema):
    """A page of the list of tournaments."""

    phase: kinds.TournamentPhase | None = None
    cursor: Annotated[str, Field(max_length=LONGEST)] = ""
    limit: Annotated[int, Field(ge=1, le=100)] = 50


@router.get(
    "/tournaments",
    auth=everybody_by_name,
    response=list[answers.TournamentSummary],
    operation_id="list_tournaments",
    summary="Tournaments",
    exclude_unset=True,
)
@refuses("bad-cursor")
def list_tournaments(
    request: HttpRequest, response: HttpResponse, wanted: Query[TournamentFilter]
) -> list[dict[str, Any]]:
    """List the tournaments that the caller may see, newest first.

    The `Link` header has the address of the next page. With `phase`, a page may have fewer items
    than its limit although more follow.
    """
    set_private(response)
    viewer = viewer_of(request)
    mark = fingerprint("tournaments", {"phase": wanted.phase})
    after = key_at(wanted.cursor, mark, 1)
    rows = listed_tournaments(viewer).select_related("owner", "league").order_by("-pk")
    if wanted.phase is not None:
        rows = rows.filter(phase__in=_PLAYED if wanted.phase in _PLAYED else [wanted.phase])
    if after is not None:
        rows = rows.filter(pk__lt=after[0])
    found = list(rows[: wanted.limit + 1])
    if len(found) > wanted.limit:
        found.pop()
        link_to_next(request, response, cursor=cursor_at(mark, (found[-1].pk,)))
    shown = [documents.summary_json(one, disclosed(one, viewer)) for one in found]
    return [one for one in shown if wanted.phase in (None, one["phase"])]


@router.get(
    PATH,
    auth=everybody_by_name,
    response=answers.TournamentShape,
    operation_id="get_tournament",
    summary="A tournament",
    exclude_unset=True,
)
def get_tournament(request: HttpRequest, response: HttpResponse, slug: kinds.Slug) -> Any:
    """Return a tournament with its rules and rounds. Organisers get the serial as `ETag`."""
    found, seen = seen_tournament(request, response, slug)
    if seen.is_organiser:
        tag_with_serial(request, response, found.serial)
    return documents.tournament_json(found, seen)


@router.get(
    f"{PATH}/rule-changes",
    auth=everybody_by_name,
    response=list[answers.RulesRevision],
    operation_id="list_rule_changes",
    summary="The changes of a tournament's rules",
)
def list_rule_changes(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug
) -> list[answers.RulesRevision]:
    """List the changes of the rules since the tournament opened, the latest first."""
    found, _ = seen_tournament(request, response, slug)
    return [answers.RulesRevision.from_orm(one) for one in rule_changes(found)]


@router.get(
    f"{PATH}/entrants",
    auth=everybody_by_name,
    response=list[answers.EntrantShape],
    operation_id="list_entrants",
    summary="The entrants of a tournament",
)
def list_entrants(request: HttpRequest, response: HttpResponse, slug: kinds.Slug) -> Any:
    """Return the entrants in the order of their seeds."""
    return documents.entrants_json(*seen_tournament(request, response, slug))


@router.get(
    f"{PATH}/rounds/{{int:number}}",
    auth=everybody_by_name,
    response=answers.RoundShape,
    operation_id="get_round",
    summary="A round of a tournament",
)
def get_round(
    request: HttpRequest,
    response: HttpResponse,
    slug: kinds.Slug,
    number: int,
    stage: StageNumber = 0,
) -> Any:
    """Return the pairings and results of a round of a stage; stages count from 0."""
    found, seen = seen_tournament(request, response, slug)
    known = seen.state.stages.get(stage)
    if known is None or not 1 <= number <= len(known.rounds):
        raise not_found(f"round {number} of stage {stage} of {slug}")
    return documents.round_json(found, seen, known.rounds[number - 1])


@router.get(
    f"{PATH}/standings",
    auth=everybody_by_name,
    response=answers.Standings,
    operation_id="get_standings",
    summary="The tables of a tournament",
    openapi_extra={"responses": {200: {"content": {"text/csv": _TEXT}}}},
)
def get_standings(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, format: TableFormat = "json"
) -> Any:
    """Return the tables with all tie-breaks, as JSON or with `format=csv` as CSV."""
    found, seen = seen_tournament(request, response, slug)
    if format == "csv":
        return _file(export.standings_csv(found, seen), "text/csv", f"{slug}-standings.csv")
    return documents.standings_json(found, seen)


@router.get(
    f"{PATH}/export",
    auth=everybody_by_name,
    response=answers.TournamentExport,
    operation_id="export_tournament",
    summary="The export of a tournament",
    exclude_unset=True,
)
def export_tournament(request: HttpRequest, response: HttpResponse, slug: kinds.Slug) -> Any:
    """Return everything that is needed to compute the tables independently."""
    return export.export_json(*seen_tournament(request, response, slug))


@router.get(
    f"{PATH}/trf",
    auth=everybody_by_name,
    operation_id="get_trf",
    summary="A stage as a Tournament Report File",
    openapi_extra={"responses": {200: {"content": {"text/plain": _TEXT}}}},
)
@refuses("no-trf")
def get_trf(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, stage: StageNumber = 0
) -> HttpResponse:
    """Return a stage for two players in the Tournament Report File format."""
    found, seen = seen_tournament(request, response, slug)
    known = seen.state.stages.get(stage)
    if known is None or known.plan.rules.players != 2:
        raise Problem(409, "no-trf", "only a stage for two players that has begun has a TRF")
    return _file(export.stage_trf(found, seen, known), "text/plain", f"{slug}.trf")


def _file(text: str, kind: str, name: str) -> HttpResponse:
    answer = HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    set_private(answer)
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
