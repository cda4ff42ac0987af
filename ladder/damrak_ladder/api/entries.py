"""API of a bot's ladders, its promotions and faults, and of repeated qualification."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema

from damrak_ladder.accounts.models import ApiToken
from damrak_ladder.api.access import (
    SUBMIT,
    caller,
    everybody,
    everybody_by_name,
    may_act_for,
    own_bot,
)
from damrak_ladder.api.answers import set_private, set_public
from damrak_ladder.api.bots import find_bot
from damrak_ladder.api.conditional import check_unchanged, conditional
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.shapes import VersionShape, version_shape
from damrak_ladder.api.tournaments.viewers import set_cached
from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.matches.entries import enter, leave
from damrak_ladder.matches.errors import NotAdmitted
from damrak_ladder.matches.models import Blame, Entry, Fault, Ladder
from damrak_ladder.pipeline.submission import try_again
from damrak_ladder.tournaments.visibility import visible

MOST: Final = 100

router = Router(tags=["bots"])


class EntryShape(Schema):
    """A bot on a ladder; `left` is null while it plays there."""

    ladder: str
    entered: datetime
    left: datetime | None


class PromotionShape(Schema):
    """A change of a bot's live version, by number; null is none."""

    at: datetime
    before: int | None
    after: int | None


class FaultShape(Schema):
    """A fault of a bot; `detail` is for its owner, and else empty."""

    match: int | None
    version: int
    reason: str
    detail: str


_BOT: Final = "/bots/{slug:slug}"


@router.get(
    f"{_BOT}/ladders",
    auth=everybody,
    response=list[EntryShape],
    operation_id="list_entries",
    summary="The ladders of a bot",
)
def list_entries(request: HttpRequest, response: HttpResponse, slug: str) -> list[EntryShape]:
    """List the ladders that a bot plays on, or has left."""
    set_public(response, 10)
    return _entries(find_bot(slug))


@router.put(
    f"{_BOT}/ladders/{{slug:ladder}}",
    auth=SUBMIT,
    response=list[EntryShape],
    operation_id="enter_ladder",
    summary="Enter a ladder",
)
@refuses("not-yours", "not-admitted")
@conditional
def enter_ladder(
    request: HttpRequest, response: HttpResponse, slug: str, ladder: str
) -> list[EntryShape]:
    """Enter an own bot on a ladder; entering again has no effect."""
    set_private(response)
    bot, on = own_bot(caller(request), slug), _ladder(ladder)
    check_unchanged(request, _entries(bot))
    try:
        enter(on, bot, timezone.now())
    except NotAdmitted as problem:
        cure = "GET /api/v1/ladders shows which ladders are open, and to which kinds of bots"
        raise Problem(409, "not-admitted", str(problem), cure) from None
    return _entries(bot)


@router.delete(
    f"{_BOT}/ladders/{{slug:ladder}}",
    auth=SUBMIT,
    response=list[EntryShape],
    operation_id="leave_ladder",
    summary="Leave a ladder",
)
@refuses("not-yours")
@conditional
def leave_ladder(
    request: HttpRequest, response: HttpResponse, slug: str, ladder: str
) -> list[EntryShape]:
    """Withdraw an own bot from a ladder; its results remain."""
    set_private(response)
    bot, on = own_bot(caller(request), slug), _ladder(ladder)
    check_unchanged(request, _entries(bot))
    leave(on, bot, timezone.now())
    return _entries(bot)


@router.get(
    f"{_BOT}/promotions",
    auth=everybody,
    response=list[PromotionShape],
    operation_id="list_promotions",
    summary="The live versions of a bot over time",
)
def list_promotions(
    request: HttpRequest, response: HttpResponse, slug: str
) -> list[PromotionShape]:
    """List the latest changes of the live version, newest first."""
    set_public(response, 10)
    found = find_bot(slug).promotions.select_related("before", "after").order_by("-pk")
    return [
        PromotionShape(
            at=one.at,
            before=None if one.before is None else one.before.number,
            after=None if one.after is None else one.after.number,
        )
        for one in found[:MOST]
    ]


@router.get(
    f"{_BOT}/faults",
    auth=everybody_by_name,
    response=list[FaultShape],
    operation_id="list_faults",
    summary="The latest faults of a bot",
)
def list_faults(request: HttpRequest, response: HttpResponse, slug: str) -> list[FaultShape]:
    """List the latest faults of the newest versions of a bot, newest first."""
    set_cached(request, response, 10)
    bot = find_bot(slug)
    token = getattr(request, "auth", None)
    is_own = isinstance(token, ApiToken) and may_act_for(request, bot.owner_id)
    newest = bot.versions.order_by("-number").values_list("pk", flat=True)
    found = (
        visible(Fault, None).filter(version__in=list(newest[:50]), owner=Blame.BOT).order_by("-pk")
    )
    rows = found.values_list("match_id", "version__number", "reason", "detail")
    return [
        FaultShape(match=match, version=number, reason=reason, detail=detail if is_own else "")
        for match, number, reason, detail in rows[:MOST]
    ]


@router.post(
    "/versions/{int:version_id}/qualify",
    auth=SUBMIT,
    response=VersionShape,
    operation_id="qualify_again",
    summary="Qualify again",
)
@refuses("not-yours", "same-content", "overtaken")
@idempotent(SUBMIT)
def qualify_again(request: HttpRequest, response: HttpResponse, version_id: int) -> VersionShape:
    """Start the qualification of a failed remote version again, if it is the newest."""
    set_private(response)
    version = Version.objects.select_related("bot__owner").filter(pk=version_id).first()
    if version is None:
        raise not_found(f"version with the id {version_id}")
    bot = own_bot(caller(request), version.bot.slug)
    return version_shape(try_again(bot, version.number, timezone.now()))


def _entries(bot: Bot) -> list[EntryShape]:
    found = Entry.objects.filter(bot=bot).select_related("ladder").order_by("ladder__slug")
    return [EntryShape(ladder=one.ladder.slug, entered=one.entered, left=one.left) for one in found]


def _ladder(slug: str) -> Ladder:
    found = Ladder.objects.filter(slug=slug).first()
    if found is None:
        raise not_found(f"ladder {slug}", "GET /api/v1/ladders lists them")
    return found
