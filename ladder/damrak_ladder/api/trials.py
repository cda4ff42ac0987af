"""API of sequential tests between two versions, for their owners."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status

from damrak_ladder.api import types
from damrak_ladder.api.access import READ, SUBMIT, caller, may_act_for, refuse
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.pagination import Page, piece_of
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.requests import Body
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.pipeline.queue.trial_forecast import Forecast, forecasts
from damrak_ladder.trials import canaries
from damrak_ladder.trials.models import Trial
from damrak_ladder.trials.trials import (
    MOST_BLOCKS,
    Bounds,
    Progress,
    cancel,
    progress,
    progress_of,
    start,
)
from damrak_statistics.block_scores import FARTHEST

router = Router(tags=["trials"])

Name = Annotated[str, Field(max_length=80, pattern=STORABLE)]
Number = Annotated[int, Field(ge=1, le=1 << 31)]
Lead = Annotated[float, Field(ge=-FARTHEST, le=FARTHEST, allow_inf_nan=False)]
"""A lead in Elo."""


class VersionName(Schema):
    """A version of a bot; by default the live one."""

    bot: Name
    version: Number | None = None


class NewTrial(Body):
    """The description of a new test, with its error rates."""

    candidate: VersionName
    baseline: VersionName
    ladder: Name = ""
    """The ladder whose rules apply; by default that of the candidate's bot."""
    elo0: Lead = Bounds().elo0
    elo1: Lead = Bounds().elo1
    """At least 1 above `elo0`."""
    alpha: Annotated[float, Field(gt=0, lt=0.5, allow_inf_nan=False)] = Bounds().alpha
    beta: Annotated[float, Field(gt=0, lt=0.5, allow_inf_nan=False)] = Bounds().beta
    most: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = Bounds().most


class TrialLead(Schema):
    """The candidate's lead in Elo; its 95 % interval is valid at every moment."""

    elo: float
    low: float
    high: float


class TrialForecast(Schema):
    """The expected remainder of a running test, if the queue stays as it is."""

    blocks_low: int
    blocks_high: int
    seconds_low: float
    """If the lead is `elo0`, `elo1`, or the one seen so far."""
    seconds_high: float
    """If the lead lies between `elo0` and `elo1`."""
    seconds_per_block: float
    share: float
    """The test's share of the capacity."""


class TrialShape(Schema):
    """A test and its current state."""

    id: int
    ladder: str
    candidate: VersionName
    baseline: VersionName
    state: types.TrialState
    elo0: float
    elo1: float
    alpha: float
    beta: float
    most: int
    blocks: int
    llr: float
    """The test ends when it leaves the range from `lower` to `upper`."""
    lower: float
    upper: float
    lead: TrialLead | None
    expected: TrialForecast | None
    """Null if the test has ended, no host is available, or nothing has been measured yet."""
    created: datetime
    ended: datetime | None


@router.get(
    "/trials",
    auth=READ,
    response=list[TrialShape],
    operation_id="list_trials",
    summary="Your tests",
)
def trials(request: HttpRequest, response: HttpResponse, page: Query[Page]) -> list[TrialShape]:
    """List the tests started by the owner of the token, newest first."""
    set_private(response)
    found = _trials().filter(owner=caller(request)).order_by("-pk")
    page.limit = min(page.limit, 50)
    piece = piece_of(found, page, request, response)
    known, expected = progress_of(piece), forecasts(piece, timezone.now())
    return [_trial_shape(trial, known[trial.pk], expected.get(trial.pk)) for trial in piece]


@router.post(
    "/trials",
    auth=SUBMIT,
    response={201: TrialShape},
    operation_id="start_trial",
    summary="Start a test",
    openapi_extra={"x-damrak-headers": ["Location"]},
)
@refuses("not-found", "not-yours", "not-playable", "bad-bounds", "limit-reached")
@idempotent(SUBMIT)
def begin(request: HttpRequest, response: HttpResponse, new: NewTrial) -> Status[TrialShape]:
    """Start a sequential test of an own version against another own or a live version."""
    set_private(response)
    candidate = _version(new.candidate)
    ladder = ladder_for(new.ladder, candidate)
    bounds = Bounds(new.elo0, new.elo1, new.alpha, new.beta, new.most)
    made = start(caller(request), candidate, _version(new.baseline), ladder, bounds, timezone.now())
    response["Location"] = f"/api/v1/trials/{made.pk}"
    return Status(201, _shape_now(made))


@router.get(
    "/trials/{int:trial_id}",
    auth=READ,
    response=TrialShape,
    operation_id="get_trial",
    summary="A test",
)
def trial(request: HttpRequest, response: HttpResponse, trial_id: int) -> TrialShape:
    """Return the state of a test; it may be checked, and ended, at any moment."""
    set_private(response)
    return _shape_now(_own(request, trial_id))


@router.post(
    "/trials/{int:trial_id}/cancel",
    auth=SUBMIT,
    response=TrialShape,
    operation_id="cancel_trial",
    summary="End a test",
)
def end(request: HttpRequest, response: HttpResponse, trial_id: int) -> TrialShape:
    """End a test without a verdict; a test that has ended is not changed."""
    set_private(response)
    found = _own(request, trial_id)
    cancel(found.pk, timezone.now())
    return _shape_now(_own(request, trial_id))


def _trials() -> QuerySet[Trial, Trial]:
    return Trial.objects.select_related("ladder", "candidate__bot", "baseline__bot")


def _own(request: HttpRequest, trial_id: int) -> Trial:
    found = _trials().filter(pk=trial_id).first()
    if found is None or not may_act_for(request, found.owner_id):
        if found is not None:
            refuse(caller(request), f"test {trial_id}")
        raise not_found(f"test {trial_id} of yours", "GET /api/v1/trials lists your tests")
    return found


def _version(named: VersionName) -> Version:
    every = Version.objects.select_related("bot__owner").filter(bot__slug=named.bot)
    if named.version is None:
        found = every.filter(live_in__isnull=False).first()
        if found is None:
            raise not_found(f"live version of {named.bot}", "give the number of a version")
        return found
    found = every.filter(number=named.version).first()
    if found is None:
        raise not_found(f"version {named.version} of {named.bot}")
    return found


def ladder_for(slug: str, version: Version) -> Ladder:
    """Return this ladder, or the first one of the version's bot."""
    if slug:
        found = Ladder.objects.filter(slug=slug).first()
        if found is None:
            raise not_found(f"ladder {slug}", "GET /api/v1/ladders lists all")
        return found
    ladders = canaries.ladders_for(version)
    if not ladders:
        raise Problem(
            409, "not-playable", f"{version} is on no ladder", "give the ladder for the test"
        )
    return ladders[0]


def _shape_now(trial: Trial) -> TrialShape:
    expected = forecasts([trial], timezone.now()).get(trial.pk)
    return _trial_shape(trial, progress(trial), expected)


def _trial_shape(trial: Trial, now: Progress, expected: Forecast | None) -> TrialShape:
    lead = now.estimate
    return TrialShape(
        id=trial.pk,
        ladder=trial.ladder.slug,
        candidate=_named(trial.candidate),
        baseline=_named(trial.baseline),
        state=trial.state,
        elo0=trial.elo0,
        elo1=trial.elo1,
        alpha=trial.alpha,
        beta=trial.beta,
        most=trial.most,
        blocks=now.blocks,
        llr=now.llr,
        lower=now.lower,
        upper=now.upper,
        lead=None if lead is None else TrialLead(elo=lead.value, low=lead.low, high=lead.high),
        expected=None if expected is None else TrialForecast(**asdict(expected)),
        created=trial.created,
        ended=trial.ended,
    )


def _named(version: Version) -> VersionName:
    return VersionName(bot=version.bot.slug, version=version.number)
