"""The operations with which organisers check a tournament: verification and collusion report."""

from __future__ import annotations

from typing import Annotated, Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Schema

from damrak_ladder.api.access import RUN, caller, count, who
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.tournaments import kinds
from damrak_ladder.api.tournaments.details import PATH, router
from damrak_ladder.api.tournaments.viewers import seen_tournament
from damrak_ladder.message_codes.act_codes import OnlyOrganisers
from damrak_ladder.time_ordered_ids import LARGEST
from damrak_ladder.tournaments.alerts import alerts
from damrak_ladder.tournaments.collusion_report import report_of
from damrak_ladder.tournaments.errors import NotAllowed
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.verification import verified

VERIFICATIONS_A_MINUTE: Final = 30

__all__ = ["router"]


class VerifiedBlock(Schema):
    """A recorded block whose replays were reproduced. `problem` is empty if they confirm it."""

    block: int
    stage: int
    round: int
    table: int
    games: int
    counts: bool
    """Whether the tables rest on it."""
    problem: str


class Verification(Schema):
    """A part of the verification. `next` is the `after` of the next part; null at the end."""

    checked: int
    confirmed: int
    blocks: list[VerifiedBlock]
    next: int | None


class Proposal(Schema):
    """An act that resolves a problem; preview it with `dry_run`."""

    kind: kinds.ActKind
    payload: kinds.ActPayload


class AlertShape(Schema):
    """A problem that needs a decision."""

    kind: kinds.AlertKind
    text: str
    proposals: list[Proposal]
    block: int | None
    entrant: int | None


class CollusionPair(Schema):
    """How bot `who` does at tables with bot `beside`, against what the strengths predict."""

    who: str
    beside: str
    blocks: int
    gain: float
    """The mean difference to the predicted share of opponents beaten."""
    error: float
    """The standard error of the gain."""
    chance: float
    """How often chance alone gives such a difference, before a correction for the pairs."""
    needed: int
    """The blocks that would show a gain of `effect` with a probability of 80 %."""
    remarkable: bool


class CollusionReport(Schema):
    """The most remarkable pairs of bots. It informs; nothing follows from it."""

    tournaments: int
    """The tournaments whose games are pooled."""
    pairs: int
    same_owner_tables: int
    same_owner_apart: bool
    effect: float
    rows: list[CollusionPair]


@router.get(
    f"{PATH}/verification",
    auth=RUN,
    response=Verification,
    operation_id="verify_tournament",
    summary="Verify a tournament from its replays",
)
@refuses("not-allowed")
def verify_tournament(
    request: HttpRequest,
    response: HttpResponse,
    slug: kinds.Slug,
    after: Annotated[int, Field(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, Field(ge=1, le=100)] = 50,
) -> Any:
    """Reproduce recorded blocks from their replays, and compare them with the stored results."""
    count(request, "verification", who(request), VERIFICATIONS_A_MINUTE)
    found = run_by_caller(request, response, slug)
    blocks = list(verified(found, after, limit))
    return {
        "checked": len(blocks),
        "confirmed": sum(not one.problem for one in blocks),
        "blocks": [one.as_json() for one in blocks],
        "next": blocks[-1].block if len(blocks) == limit else None,
    }


@router.get(
    f"{PATH}/collusion",
    auth=RUN,
    response=CollusionReport,
    operation_id="get_collusion_report",
    summary="The collusion report of a tournament",
)
@refuses("not-allowed")
def get_collusion_report(request: HttpRequest, response: HttpResponse, slug: kinds.Slug) -> Any:
    """Return who profits when one bot sits with another at tables of three and four."""
    count(request, "collusion", who(request), VERIFICATIONS_A_MINUTE)
    report = report_of(caller(request), run_by_caller(request, response, slug))
    return {
        "tournaments": report.tournaments,
        "pairs": report.pairs,
        "same_owner_tables": report.together,
        "same_owner_apart": report.apart,
        "effect": report.effect,
        "rows": [
            {
                "who": row.who,
                "beside": row.beside,
                "blocks": row.pair.blocks,
                "gain": row.pair.gain,
                "error": row.pair.error,
                "chance": row.pair.chance,
                "needed": row.pair.needed,
                "remarkable": row.is_remarkable,
            }
            for row in report.rows
        ],
    }


@router.get(
    f"{PATH}/alerts",
    auth=RUN,
    response=list[AlertShape],
    operation_id="list_alerts",
    summary="What needs a decision of the organisers",
)
@refuses("not-allowed")
def list_alerts(request: HttpRequest, response: HttpResponse, slug: kinds.Slug) -> Any:
    """List the problems that hold a tournament up now, and acts that resolve them."""
    found = run_by_caller(request, response, slug)
    return [
        {
            "kind": one.kind,
            "text": one.text,
            "proposals": [{"kind": kind, "payload": payload} for kind, payload in one.proposals],
            "block": one.block,
            "entrant": one.entrant,
        }
        for one in alerts(found, timezone.now())
    ]


def run_by_caller(request: HttpRequest, response: HttpResponse, slug: str) -> Tournament:
    """Return a tournament that the caller runs.

    Raises:
        Problem, NotAllowed
    """
    found, seen = seen_tournament(request, response, slug)
    if not seen.is_organiser:
        raise NotAllowed(OnlyOrganisers())
    return found
