"""API of games of people against bots: whether a bot is open to them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema

from damrak_ladder.api.access import SUBMIT, caller, everybody, own_bot
from damrak_ladder.api.answers import set_private, set_public
from damrak_ladder.api.bots import find_bot
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.requests import Body
from damrak_ladder.play.opponents import is_open, set_open

router = Router(tags=["bots"])


class OpenToPeople(Schema):
    """Whether people may play against a bot in their browser."""

    is_open: bool


class NewOpenToPeople(Body):
    """Whether people may play against a bot from now on."""

    is_open: bool


@router.get(
    "/bots/{slug:slug}/people",
    auth=everybody,
    response=OpenToPeople,
    operation_id="get_open_to_people",
    summary="Whether people may play against a bot",
)
def get_open_to_people(request: HttpRequest, response: HttpResponse, slug: str) -> OpenToPeople:
    """Return whether people may play against a bot now or when its live version is connected."""
    set_public(response, 10)
    return OpenToPeople(is_open=is_open(find_bot(slug)))


@router.put(
    "/bots/{slug:slug}/people",
    auth=SUBMIT,
    response=OpenToPeople,
    operation_id="set_open_to_people",
    summary="Let people play against a bot",
)
@refuses("not-yours")
def set_open_to_people(
    request: HttpRequest, response: HttpResponse, slug: str, new: NewOpenToPeople
) -> OpenToPeople:
    """Let people play against an own bot, or no longer; games that have begun go on."""
    set_private(response)
    bot = own_bot(caller(request), slug)
    set_open(bot, is_to_be_open=new.is_open, now=timezone.now())
    return OpenToPeople(is_open=new.is_open)
