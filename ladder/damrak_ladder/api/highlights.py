"""API of highlights: stories, the bot of the week, records, and games in progress to watch."""

from __future__ import annotations

from datetime import date, datetime

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema

from damrak_ladder.api import types
from damrak_ladder.api.access import any_token_or_none, everybody
from damrak_ladder.api.answers import set_public
from damrak_ladder.api.filter_types import Day
from damrak_ladder.api.tournaments.viewers import set_cached, viewer_of
from damrak_ladder.follows.interest import running_by_interest
from damrak_ladder.highlights.models import Record, Story
from damrak_ladder.highlights.notable_games import notables
from damrak_ladder.highlights.queries import bot_of_week, span_of, stories_between
from damrak_ladder.message_codes.wording import english

SECONDS = 60


router = Router(tags=["highlights"])


class StoryShape(Schema):
    """A notable game or run, with the version it is about."""

    kind: types.StoryKind
    text: str
    match: int
    ladder: str
    bot: str
    version: int
    worth: float
    """Stories of a day are sorted by it."""
    at: datetime


class BotOfWeek(Schema):
    """The version that won most games beyond those expected of its rating."""

    bot: str
    version: int
    ladder: str
    games: int
    wins: int
    ahead: float
    """Its wins, less those expected."""


class HighlightsShape(Schema):
    """The stories of a day or a week, the best first."""

    first: date
    last: date
    stories: list[StoryShape]
    bot_of_week: BotOfWeek | None
    """Only for a week."""


class NotableShape(Schema):
    """A notable game, with its winner.

    `value` is the chance of winning that the winner of an `upset` had, the points of a `record`,
    or the points between the first and the second of a `close` game.
    """

    kind: types.NotableKind
    value: float
    match: int
    ladder: str
    bot: str
    version: int
    at: datetime


class FeaturedGame(Schema):
    """A block in progress, and why it is worth watching; without a reason, `reason` is null."""

    block: int
    ladder: str | None
    matches: list[int]
    reason: types.FeaturedReason | None
    text: str


class RecordShape(Schema):
    """The best value so far of a kind on a ladder."""

    ladder: str
    kind: types.RecordKind
    value: int
    match: int
    bot: str
    version: int
    at: datetime


@router.get(
    "/highlights",
    auth=everybody,
    response=HighlightsShape,
    operation_id="get_highlights",
    summary="The stories of a day or week",
)
def get_highlights(
    request: HttpRequest, response: HttpResponse, day: Day | None = None, week: Day | None = None
) -> HighlightsShape:
    """Return the stories of a day, by default today, or those of the week that contains `week`."""
    set_public(response, SECONDS)
    asked = day if week is None else week
    text = "" if asked is None else asked.isoformat()
    span = span_of(text, timezone.now().date(), is_week=week is not None)
    best = bot_of_week(span.first) if span.is_week else None
    return HighlightsShape(
        first=span.first,
        last=span.last,
        stories=[story_shape(one) for one in stories_between(span.first, span.last)],
        bot_of_week=None
        if best is None
        else BotOfWeek(
            bot=best.version.bot.slug,
            version=best.version.number,
            ladder=best.ladder.slug,
            games=best.games,
            wins=best.wins,
            ahead=best.ahead,
        ),
    )


@router.get(
    "/notable-games",
    auth=everybody,
    response=list[NotableShape],
    operation_id="list_notable_games",
    summary="The latest notable games",
)
def list_notable_games(request: HttpRequest, response: HttpResponse) -> list[NotableShape]:
    """List the two latest upsets, high scores and close finishes, newest first."""
    set_public(response, SECONDS)
    return [
        NotableShape(
            kind=one.kind,
            value=one.value,
            match=one.match_id,
            ladder=one.ladder.slug,
            bot=one.version.bot.slug,
            version=one.version.number,
            at=one.at,
        )
        for one in notables()
    ]


@router.get(
    "/featured-games",
    auth=any_token_or_none,
    response=list[FeaturedGame],
    operation_id="list_featured_games",
    summary="The games in progress, the most interesting first",
)
def list_featured_games(request: HttpRequest, response: HttpResponse) -> list[FeaturedGame]:
    """List up to 8 blocks in progress in the order in which the front page shows them.

    With a token, games of bots and authors that its owner follows come first.
    """
    set_cached(request, response, 3)
    return [
        FeaturedGame(
            block=one.block.pk,
            ladder=None if one.block.ladder is None else one.block.ladder.slug,
            matches=sorted(match.pk for match in one.block.matches.all()),
            reason=None if one.reason is None else one.reason.code,
            text=english(one.reason),
        )
        for one in running_by_interest(viewer_of(request))
    ]


@router.get(
    "/records",
    auth=everybody,
    response=list[RecordShape],
    operation_id="list_records",
    summary="The records of all ladders",
)
def list_records(request: HttpRequest, response: HttpResponse) -> list[RecordShape]:
    """List the best values of each kind on each ladder."""
    set_public(response, SECONDS)
    rows = Record.objects.select_related("ladder", "version__bot").order_by("ladder", "kind")
    return [
        RecordShape(
            ladder=one.ladder.slug,
            kind=one.kind,
            value=one.value,
            match=one.match_id,
            bot=one.version.bot.slug,
            version=one.version.number,
            at=one.at,
        )
        for one in rows
    ]


def story_shape(one: Story) -> StoryShape:
    """Return a story in the form of the API."""
    return StoryShape(
        kind=one.kind,
        text=english(one.told),
        match=one.match_id,
        ladder=one.ladder.slug,
        bot=one.version.bot.slug,
        version=one.version.number,
        worth=one.worth,
        at=one.at,
    )
