"""API of bots and their versions."""

from __future__ import annotations

from typing import Annotated, Final

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Query, Router, Status

from damrak_ladder.api.access import (
    READ,
    SUBMIT,
    caller,
    everybody,
    own_bot,
    own_version,
)
from damrak_ladder.api.answers import set_private, set_public
from damrak_ladder.api.conditional import check_unchanged, conditional
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.pagination import Page, piece_of
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.requests import Body
from damrak_ladder.api.shapes import (
    BotInFull,
    BotShape,
    Failure,
    Journey,
    VersionShape,
    bot_shape,
    step_shape,
    version_shape,
)
from damrak_ladder.bots.house import PREFIX
from damrak_ladder.bots.journey import journey
from damrak_ladder.bots.models import SLUG, Bot, State, Version
from damrak_ladder.bots.names import IS_GUEST
from damrak_ladder.bots.one_line_text import one_line
from damrak_ladder.bots.submission import create_bot
from damrak_ladder.matches.models import Blame, Entry, Fault
from damrak_ladder.pipeline.outcome import promotion
from damrak_ladder.tournaments.visibility import visible

NEWEST = 50
NAME: Final = SLUG.replace("\\A", f"^(?!{PREFIX})").replace("\\Z", "$")
"""The pattern of bot names in the syntax of JSON Schema."""
_FAILURES = 20

router = Router(tags=["bots"])


class BotFilter(Page):
    """Filters of bots."""

    owner: Annotated[str, Field(max_length=150, pattern=STORABLE)] = ""


class NewBot(Body):
    """The description of a new bot."""

    slug: Annotated[str, Field(json_schema_extra={"pattern": NAME, "maxLength": 40})]
    name: Annotated[str, Field(max_length=60)] = ""


class VersionChoice(Body):
    """A version, by number."""

    version: Annotated[int, Field(ge=1, le=1 << 31)]


@router.get(
    "/bots",
    auth=everybody,
    response=list[BotShape],
    operation_id="list_bots",
    summary="All bots",
)
def bots(request: HttpRequest, response: HttpResponse, wanted: Query[BotFilter]) -> list[BotShape]:
    """List bots by name, without stand-ins for people; with `owner` those of one author."""
    set_public(response, 10)
    full = Bot.objects.exclude(IS_GUEST).select_related("owner", "live").order_by("slug")
    found = full.only("slug", "name", "created", "owner__username", "live__number")
    if wanted.owner:
        found = found.filter(owner__username__iexact=wanted.owner)
    return [bot_shape(bot) for bot in piece_of(found, wanted, request, response)]


@router.get(
    "/bots/{slug:slug}",
    auth=everybody,
    response=BotInFull,
    operation_id="get_bot",
    summary="A bot",
)
def bot(request: HttpRequest, response: HttpResponse, slug: str) -> BotInFull:
    """Return a bot, its ladders, and its newest versions."""
    set_public(response, 10)
    return _in_full(find_bot(slug))


def _in_full(found: Bot) -> BotInFull:
    entries = Entry.objects.filter(bot=found, left=None).select_related("ladder")
    return BotInFull(
        **bot_shape(found).model_dump(),
        ladders=sorted(entry.ladder.slug for entry in entries),
        versions=[version_shape(version) for version in _versions(found)[:NEWEST]],
    )


@router.get(
    "/bots/{slug:slug}/versions",
    auth=everybody,
    response=list[VersionShape],
    operation_id="list_versions",
    summary="The versions of a bot",
)
def versions(
    request: HttpRequest, response: HttpResponse, slug: str, page: Query[Page]
) -> list[VersionShape]:
    """List the versions of a bot, newest first."""
    set_public(response, 10)
    found = piece_of(_versions(find_bot(slug)), page, request, response)
    return [version_shape(version) for version in found]


@router.get(
    "/versions/{int:version_id}",
    auth=everybody,
    response=VersionShape,
    operation_id="get_version",
    summary="A version",
)
def version(request: HttpRequest, response: HttpResponse, version_id: int) -> VersionShape:
    """Return a version with its state."""
    set_public(response, 5)
    found = Version.objects.select_related("bot").filter(pk=version_id).first()
    if found is None:
        raise not_found(f"version with the id {version_id}")
    return version_shape(found)


@router.post(
    "/bots",
    auth=SUBMIT,
    response={201: BotShape},
    operation_id="create_bot",
    summary="Create a bot",
    openapi_extra={"x-damrak-headers": ["Location"]},
)
@refuses("bad-name", "name-taken", "limit-reached")
@idempotent(SUBMIT)
def make_bot(request: HttpRequest, response: HttpResponse, new: NewBot) -> Status[BotShape]:
    """Create a bot, which has no versions yet."""
    set_private(response)
    name = one_line(new.name) or new.slug
    try:
        made = create_bot(caller(request), new.slug, name, timezone.now())
    except ValueError as problem:
        cure = "choose a name of up to 40 such characters, such as my-bot"
        raise Problem(422, "bad-name", str(problem), cure) from None
    response["Location"] = f"/api/v1/bots/{made.slug}"
    return Status(201, bot_shape(made))


@router.post(
    "/bots/{slug:slug}/live",
    auth=SUBMIT,
    response=BotShape,
    operation_id="make_live",
    summary="Make a version live",
)
@refuses("not-yours", "not-qualified", "overtaken")
@conditional
def make_live(
    request: HttpRequest, response: HttpResponse, slug: str, choice: VersionChoice
) -> BotShape:
    """Make a qualified version live in place of the current one; it may be an earlier one."""
    set_private(response)
    found, now = own_bot(caller(request), slug), timezone.now()
    chosen = found.versions.filter(number=choice.version).first()
    if chosen is None:
        raise not_found(f"version {choice.version} of {slug}")
    check_unchanged(request, _in_full(found))
    if found.live_id != chosen.pk:
        promotion.make_live(chosen, found.live_id, now, caller(request))
    return bot_shape(find_bot(slug))


@router.get(
    "/versions/{int:version_id}/steps",
    auth=READ,
    response=Journey,
    operation_id="list_steps",
    summary="The progress of a version",
)
@refuses("not-yours", "second-factor-needed")
def steps(
    request: HttpRequest,
    response: HttpResponse,
    version_id: int,
    after: Annotated[int, Field(ge=0, le=1 << 62)] = 0,
) -> Journey:
    """Return the steps of a version, for its owner; with `after`, those since that step."""
    set_private(response)
    found = own_version(request, version_id)
    shape = version_shape(found)
    return Journey(
        version=shape,
        is_over=found.state not in (State.CHECKING, State.QUALIFYING),
        steps=[step_shape(step) for step in journey(found, after)],
    )


@router.get(
    "/versions/{int:version_id}/failures",
    auth=READ,
    response=list[Failure],
    operation_id="list_failures",
    summary="The latest failures of a version",
)
@refuses("not-yours", "second-factor-needed")
def failures(request: HttpRequest, response: HttpResponse, version_id: int) -> list[Failure]:
    """Return the latest matches in which a version failed, for its owner."""
    set_private(response)
    found = own_version(request, version_id)
    faults = (
        visible(Fault, caller(request))
        .filter(version=found, owner=Blame.BOT, match__isnull=False)
        .select_related("seat", "attempt")
    )
    return [
        Failure(
            match=fault.match_id or 0,
            seat=fault.seat.number,
            attempt=fault.attempt.number,
            reason=fault.reason,
            detail=fault.detail,
            log=f"/api/v1/matches/{fault.match_id}/seats/{fault.seat.number}/log",
            bundle=f"/api/v1/matches/{fault.match_id}/seats/{fault.seat.number}/bundle",
        )
        for fault in faults.order_by("-pk")[:_FAILURES]
        if fault.seat is not None
    ]


def find_bot(slug: str) -> Bot:
    """Return a bot.

    Raises:
        Problem: there is none of this name.
    """
    found = Bot.objects.select_related("owner", "live").filter(slug=slug).first()
    if found is None:
        raise not_found(f"bot {slug}", "GET /api/v1/bots lists all")
    return found


def _versions(bot: Bot) -> QuerySet[Version, Version]:
    return bot.versions.select_related("bot").order_by("-number")
