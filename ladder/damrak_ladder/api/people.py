"""API of authors and of the search."""

from __future__ import annotations

from typing import Annotated, Final

from django.http import HttpRequest, HttpResponse
from ninja import Field, Router, Schema

from damrak_ladder.accounts.models import User
from damrak_ladder.api.access import address_of, count, everybody
from damrak_ladder.api.answers import set_public
from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.problems import not_found
from damrak_ladder.api.shapes import BotShape, bot_shape
from damrak_ladder.bots.models import Bot
from damrak_ladder.bots.names import IS_GUEST, begins
from damrak_ladder.time_ordered_ids import having_id
from damrak_ladder.tournaments.visibility import visible_blocks, visible_matches

MOST: Final = 30
SEARCHES: Final = 60  # per address and minute

Name = Annotated[str, Field(max_length=150, pattern=STORABLE)]

router = Router(tags=["search"])


class AuthorShape(Schema):
    """An author of bots; nothing else about users is public."""

    username: str
    bots: list[BotShape]


class SearchShape(Schema):
    """Bots and authors whose names begin with the text; matches and blocks of that number.

    The last six digits of a number are enough, as pages show them.
    """

    bots: list[BotShape]
    authors: list[str]
    matches: list[int]
    blocks: list[int]


@router.get(
    "/authors/{str:name}",
    auth=everybody,
    response=AuthorShape,
    operation_id="get_author",
    summary="An author",
)
def get_author(request: HttpRequest, response: HttpResponse, name: str) -> AuthorShape:
    """Return an author with all bots."""
    set_public(response, 10)
    found = None if "\0" in name else User.objects.filter(username=name).first()
    theirs = Bot.objects.filter(owner=found).exclude(IS_GUEST)
    bots = theirs.select_related("owner", "live").order_by("slug")
    shown = [] if found is None else [bot_shape(bot) for bot in bots]
    if found is None or not shown:
        raise not_found(f"author {name}"[:200])
    return AuthorShape(username=found.username, bots=shown)


@router.get(
    "/search",
    auth=everybody,
    response=SearchShape,
    operation_id="search",
    summary="Bots, authors, matches and blocks by name or number",
)
def search(
    request: HttpRequest,
    response: HttpResponse,
    q: Annotated[str, Field(min_length=1, max_length=60, pattern=STORABLE)],
) -> SearchShape:
    """Search by the beginning of a name, or by a number or its last six digits."""
    set_public(response, 10)
    count(request, "search", address_of(request), SEARCHES)
    asked = q.strip()
    bots = Bot.objects.select_related("owner", "live").filter(begins(asked)).order_by("slug")
    authors = User.objects.filter(username__istartswith=asked, bots__isnull=False).distinct()
    return SearchShape(
        bots=[bot_shape(bot) for bot in bots[:MOST]],
        authors=list(authors.order_by("username").values_list("username", flat=True)[:MOST]),
        matches=[one.pk for one in having_id(visible_matches(None), asked)[:MOST]],
        blocks=[one.pk for one in having_id(visible_blocks(None), asked)[:MOST]],
    )
