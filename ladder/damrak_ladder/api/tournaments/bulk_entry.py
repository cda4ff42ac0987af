"""The operation that enters many bots at once."""

from __future__ import annotations

import secrets
from typing import Annotated, Final

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import override
from ninja import Field, Router, Schema

from damrak_ladder.api import types
from damrak_ladder.api.access import RUN, caller
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.conditional import stated_serial, tag_with_serial
from damrak_ladder.api.description.openapi import HEADERS
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.requests import Body
from damrak_ladder.api.tournaments import kinds
from damrak_ladder.api.tournaments.checks import run_by_caller
from damrak_ladder.api.tournaments.details import PATH
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.entry_list import MOST, Line, enter_all, listed

LONGEST_NAME: Final = 100

router = Router(tags=["tournaments"])


class NewEntries(Body):
    """Bots by their slugs; house bots may also be described, such as `mcts:iterations=20`."""

    bots: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=STORABLE)]],
        Field(min_length=1, max_length=MOST),
    ]
    guest: bool = False
    beyond_places: bool = False
    dry_run: bool = False


class EntryLine(Schema):
    """What becomes of a bot of the list: it is entered, or left out because of a `problem`."""

    name: str
    bot: str | None
    """Null if there is no such bot, or if it is a house bot that would be created."""
    version: int | None
    kind: types.VersionKind | None
    entered: bool
    problem: str
    warning: str


class Entries(Schema):
    """What becomes of each bot of the list, in its order; `serial` is that of the tournament."""

    serial: int
    entered: int
    lines: list[EntryLine]
    warning: str
    """About the whole list: there are not enough places."""
    dry_run: bool


@router.post(
    f"{PATH}/entries",
    auth=RUN,
    response=Entries,
    operation_id="enter_many",
    summary="Enter many bots, or preview it",
    openapi_extra={HEADERS: ("If-Match-Serial",), "x-damrak-headers": ("ETag",)},
)
@refuses("not-allowed", "bad-serial", "serial-needed", "stale", "not-possible", "bad-tournament")
@idempotent(RUN)
def enter_many(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, new: NewEntries
) -> Entries:
    """Enter all bots of a list that can take part, or none of them; the others are listed.

    The header `If-Match` has the serial that the list is based on, as for acts. With `dry_run` it
    is not required, and nothing changes.
    """
    set_private(response)
    tournament = run_by_caller(request, response, slug)
    with override("en"):
        found = listed(journal.state_of(tournament), dict.fromkeys(new.bots))
    if not new.dry_run:
        enter_all(
            tournament,
            found.new,
            is_guest=new.guest,
            is_beyond=new.beyond_places,
            actor=caller(request),
            serial=stated_serial(request, what="a list of entries"),
            key=secrets.token_urlsafe(12),
            now=timezone.now(),
        )
        tournament.refresh_from_db()
    tag_with_serial(request, response, tournament.serial)
    return Entries(
        serial=tournament.serial,
        entered=len(found.new),
        lines=[_line(one) for one in found.lines],
        warning=found.warning,
        dry_run=new.dry_run,
    )


def _line(one: Line) -> EntryLine:
    return EntryLine(
        name=one.name,
        bot=None if one.bot is None else one.bot.slug,
        version=None if one.version is None else one.version.number,
        kind=None if one.version is None else one.version.kind,
        entered=not one.problem,
        problem=one.problem,
        warning=one.warning,
    )
