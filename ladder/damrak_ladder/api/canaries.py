"""API of canaries, the shadow games of a version, for its owner."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Router, Schema

from damrak_ladder.api import types
from damrak_ladder.api.access import READ, SUBMIT, own_version
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.problems import Problem
from damrak_ladder.api.requests import Body
from damrak_ladder.api.trials import Name, ladder_for
from damrak_ladder.bots.models import Version
from damrak_ladder.standings.read.shadow_games import canary_estimate
from damrak_ladder.trials import canaries
from damrak_ladder.trials.models import Canary

router = Router(tags=["trials"])


class NewCanary(Body):
    """The description of a new canary."""

    ladder: Name = ""
    """By default every ladder that its bot plays on."""
    blocks: Annotated[int, Field(ge=1, le=1000)] = canaries.BLOCKS


class CanaryShape(Schema):
    """A canary, and its own estimate."""

    ladder: str
    state: types.CanaryState
    played: int
    most: int
    elo: float | None
    low: float | None
    high: float | None


@router.get(
    "/versions/{int:version_id}/canaries",
    auth=READ,
    response=list[CanaryShape],
    operation_id="list_canaries",
    summary="The shadow games of a version",
)
@refuses("not-yours", "second-factor-needed")
def look_at_canaries(
    request: HttpRequest, response: HttpResponse, version_id: int
) -> list[CanaryShape]:
    """Return the estimates from the shadow games of a version."""
    set_private(response)
    return _canaries(own_version(request, version_id))


@router.post(
    "/versions/{int:version_id}/canaries",
    auth=SUBMIT,
    response=list[CanaryShape],
    operation_id="start_canaries",
    summary="Start shadow games",
)
@refuses("not-yours", "second-factor-needed", "not-playable", "limit-reached", "not-qualified")
@idempotent(SUBMIT)
def begin_canary(
    request: HttpRequest, response: HttpResponse, version_id: int, new: NewCanary
) -> list[CanaryShape]:
    """Let a version play this many more blocks of shadow games, also if a canary is running."""
    set_private(response)
    version, now = own_version(request, version_id), timezone.now()
    ladders = [ladder_for(new.ladder, version)] if new.ladder else canaries.ladders_for(version)
    if not ladders:
        raise Problem(
            409, "not-playable", f"no ladder is open to {version}", "wait until one opens"
        )
    for ladder in ladders:
        canaries.begin(version, ladder, now, new.blocks)
    return _canaries(version)


@router.delete(
    "/versions/{int:version_id}/canaries",
    auth=SUBMIT,
    response=list[CanaryShape],
    operation_id="end_canaries",
    summary="End shadow games",
)
@refuses("not-yours", "second-factor-needed")
def end_canaries(
    request: HttpRequest, response: HttpResponse, version_id: int
) -> list[CanaryShape]:
    """End the shadow games of a version."""
    set_private(response)
    version = own_version(request, version_id)
    canaries.cancel(version, timezone.now())
    return _canaries(version)


def _canaries(version: Version) -> list[CanaryShape]:
    found = Canary.objects.filter(version=version).select_related("ladder", "version__bot")
    return [_canary_shape(canary) for canary in found.order_by("ladder__slug")]


def _canary_shape(canary: Canary) -> CanaryShape:
    estimate = canary_estimate(canary.version, canary.ladder)
    return CanaryShape(
        ladder=canary.ladder.slug,
        state=canary.state,
        played=canaries.played(canary),
        most=canary.most,
        elo=None if estimate is None else estimate.elo,
        low=None if estimate is None else estimate.low,
        high=None if estimate is None else estimate.high,
    )
