"""API of sequential tests between two versions, and of canaries, for their owners."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status

from damrak_ladder.api.access import READ, SUBMIT, caller, may_act_for, own_version, refuse
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.paging import STORABLE, Page, piece_of
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.pipeline.trial_times import Forecast, forecasts
from damrak_ladder.standings.canary import canary_estimate
from damrak_ladder.trials import canaries
from damrak_ladder.trials.models import Canary, Trial
from damrak_ladder.trials.sequential import (
    MOST_BLOCKS,
    Bounds,
    Progress,
    cancel,
    progress,
    progress_of,
    start,
)

router = Router(tags=["trials"])

Name = Annotated[str, Field(max_length=80, pattern=STORABLE)]
Number = Annotated[int, Field(ge=1, le=1 << 31)]


class Named(Schema):
    """A version of a bot; by default the live one."""

    bot: Name
    version: Number | None = None


class NewTrial(Schema):
    """The description of a new test, with its error rates."""

    candidate: Named
    baseline: Named
    ladder: Name = ""
    """The ladder whose rules apply; by default that of the candidate's bot."""
    elo0: Annotated[float, Field(allow_inf_nan=False)] = Bounds().elo0
    elo1: Annotated[float, Field(allow_inf_nan=False)] = Bounds().elo1
    alpha: Annotated[float, Field(gt=0, lt=0.5, allow_inf_nan=False)] = Bounds().alpha
    beta: Annotated[float, Field(gt=0, lt=0.5, allow_inf_nan=False)] = Bounds().beta
    most: Annotated[int, Field(ge=1, le=MOST_BLOCKS)] = Bounds().most


class Lead(Schema):
    """The candidate's lead in Elo; its 95 % interval is valid at every moment."""

    elo: float
    low: float
    high: float


class Expected(Schema):
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
    candidate: Named
    baseline: Named
    state: str
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
    lead: Lead | None
    expected: Expected | None
    """Null if the test has ended, no host is available, or nothing has been measured yet."""
    created: datetime
    ended: datetime | None


class NewCanary(Schema):
    """The description of a new canary."""

    ladder: Name = ""
    """By default every ladder that its bot plays on."""
    blocks: Annotated[int, Field(ge=1, le=1000)] = canaries.BLOCKS


class CanaryShape(Schema):
    """A canary, and its own estimate."""

    ladder: str
    state: str
    played: int
    most: int
    elo: float | None
    low: float | None
    high: float | None


@router.get("/trials", auth=READ, response=list[TrialShape], summary="One's own tests")
def trials(request: HttpRequest, response: HttpResponse, page: Query[Page]) -> list[TrialShape]:
    """List the tests started by the owner of the token, newest first."""
    set_private(response)
    found = _trials().filter(owner=caller(request)).order_by("-pk")
    page.limit = min(page.limit, 50)
    piece = piece_of(found, page, request, response)
    known, expected = progress_of(piece), forecasts(piece, timezone.now())
    return [_trial_shape(trial, known[trial.pk], expected.get(trial.pk)) for trial in piece]


@router.post("/trials", auth=SUBMIT, response={201: TrialShape}, summary="Begin a test")
def begin(request: HttpRequest, response: HttpResponse, new: NewTrial) -> Status[TrialShape]:
    """Start a sequential test of an own version against another own or a live version."""
    set_private(response)
    candidate = _version(new.candidate)
    ladder = _ladder(new.ladder, candidate)
    bounds = Bounds(new.elo0, new.elo1, new.alpha, new.beta, new.most)
    made = start(caller(request), candidate, _version(new.baseline), ladder, bounds, timezone.now())
    response["Location"] = f"/api/v1/trials/{made.pk}"
    return Status(201, _shape_now(made))


@router.get("/trials/{int:trial_id}", auth=READ, response=TrialShape, summary="A test")
def trial(request: HttpRequest, response: HttpResponse, trial_id: int) -> TrialShape:
    """Return the state of a test; it may be checked, and ended, at any moment."""
    set_private(response)
    return _shape_now(_own(request, trial_id))


@router.post("/trials/{int:trial_id}/cancel", auth=SUBMIT, response=TrialShape, summary="End it")
def end(request: HttpRequest, response: HttpResponse, trial_id: int) -> TrialShape:
    """End a test without a verdict; a test that has ended is not changed."""
    set_private(response)
    found = _own(request, trial_id)
    cancel(found.pk, timezone.now())
    return _shape_now(_own(request, trial_id))


@router.get("/versions/{int:version_id}/canaries", auth=READ, response=list[CanaryShape])
def look_at_canaries(
    request: HttpRequest, response: HttpResponse, version_id: int
) -> list[CanaryShape]:
    """Return the estimates from the shadow games of a version."""
    set_private(response)
    return _canaries(own_version(request, version_id))


@router.post("/versions/{int:version_id}/canaries", auth=SUBMIT, response=list[CanaryShape])
def begin_canary(
    request: HttpRequest, response: HttpResponse, version_id: int, new: NewCanary
) -> list[CanaryShape]:
    """Let a version play this many more blocks of shadow games, also if a canary is running."""
    set_private(response)
    version, now = own_version(request, version_id), timezone.now()
    ladders = [_ladder(new.ladder, version)] if new.ladder else canaries.ladders_for(version)
    if not ladders:
        raise Problem(409, "not-playable", f"no ladder is open to {version}", "wait for one")
    for ladder in ladders:
        canaries.begin(version, ladder, now, new.blocks)
    return _canaries(version)


@router.delete("/versions/{int:version_id}/canaries", auth=SUBMIT, response=list[CanaryShape])
def end_canaries(
    request: HttpRequest, response: HttpResponse, version_id: int
) -> list[CanaryShape]:
    """End the shadow games of a version."""
    set_private(response)
    version = own_version(request, version_id)
    canaries.cancel(version, timezone.now())
    return _canaries(version)


def _trials() -> QuerySet[Trial, Trial]:
    return Trial.objects.select_related("ladder", "candidate__bot", "baseline__bot")


def _own(request: HttpRequest, trial_id: int) -> Trial:
    found = _trials().filter(pk=trial_id).first()
    if found is None or not may_act_for(request, found.owner_id):
        if found is not None:
            refuse(caller(request), f"test {trial_id}")
        raise not_found(f"test {trial_id} of yours", "GET /api/v1/trials names yours")
    return found


def _version(named: Named) -> Version:
    every = Version.objects.select_related("bot__owner").filter(bot__slug=named.bot)
    if named.version is None:
        found = every.filter(live_in__isnull=False).first()
        if found is None:
            raise not_found(f"live version of {named.bot}", "name a version by its number")
        return found
    found = every.filter(number=named.version).first()
    if found is None:
        raise not_found(f"version {named.version} of {named.bot}")
    return found


def _ladder(slug: str, version: Version) -> Ladder:
    if slug:
        found = Ladder.objects.filter(slug=slug).first()
        if found is None:
            raise not_found(f"ladder {slug}", "GET /api/v1/ladders names those there are")
        return found
    ladders = canaries.ladders_for(version)
    if not ladders:
        raise Problem(
            409, "not-playable", f"{version} is on no ladder", "name a ladder to be played on"
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
        lead=None if lead is None else Lead(elo=lead.value, low=lead.low, high=lead.high),
        expected=None if expected is None else Expected(**asdict(expected)),
        created=trial.created,
        ended=trial.ended,
    )


def _named(version: Version) -> Named:
    return Named(bot=version.bot.slug, version=version.number)


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
