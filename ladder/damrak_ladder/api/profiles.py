"""API of how versions play: results, thinking times, sources of points, style, and stories."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router, Schema

from damrak_ladder.analyses.sources import sources_of
from damrak_ladder.api.access import everybody
from damrak_ladder.api.answers import set_public
from damrak_ladder.api.bots import find_bot
from damrak_ladder.api.highlights import StoryShape, story_shape
from damrak_ladder.api.standings import (
    SECONDS,
    VERSION,
    EncounterShape,
    OnLadder,
    encounter_shape,
    find_ladder,
    find_version,
    names_of,
)
from damrak_ladder.api.timing import ResponseTimes, response_times
from damrak_ladder.highlights.queries import stories_of
from damrak_ladder.profiles.common_opponents import common_opponents
from damrak_ladder.profiles.pace import pace_of_version
from damrak_ladder.profiles.results import Result, boards_of, results_of
from damrak_ladder.profiles.style import style_of
from damrak_ladder.tournaments.trophies import trophies

STORIES = 5

router = Router(tags=["standings"])


class TableResult(Schema):
    """The results at tables of a size and from a turn; null stands for all of them."""

    seats: int | None
    turn: int | None
    """The turn of the version at the table, from 0."""
    games: int
    score: float | None
    """The share of opponents beaten; a tie counts as half."""
    firsts: float | None
    """The share of games in which it came first, alone or shared."""
    points: float | None
    """The average points per game."""
    faults: int


class ResultOnBoard(Schema):
    """The latest games on a board; `points` is the average per game."""

    board: str
    games: int
    firsts: float
    points: float


class SourcesShape(Schema):
    """Points per game by source, and contracts per game, in the latest ladder games."""

    games: int
    routes: float
    fulfilled: float
    failed: float
    goods: float
    contracts_fulfilled: float
    contracts_failed: float


class StyleFigures(Schema):
    """Means per game. Times are shares of the length of a game; null if there are none."""

    games: int
    routes: float
    goods: float
    fulfilled: float
    failed: float
    goods_at: float | None
    claims_at: float | None


class StyleShape(Schema):
    """The figures of a version, and those of the best versions of the ladder."""

    own: StyleFigures
    field: StyleFigures


class ProfileShape(Schema):
    """How a version plays on a ladder. Parts without enough games are null."""

    ladder: str
    results: TableResult
    sizes: list[TableResult]
    turns: list[TableResult]
    boards: list[ResultOnBoard]
    pace: ResponseTimes | None
    sources: SourcesShape | None
    style: StyleShape | None


class CommonOpponent(Schema):
    """The results of two versions against an opponent that both have met."""

    first: EncounterShape
    second: EncounterShape


class TrophyShape(Schema):
    """A place among the first three of a tournament or of a division with final results."""

    tournament: str
    name: str
    place: int
    division: str
    number: int | None
    """The number of the division, from 1; null if there is only one."""
    entrants: int


@router.get(
    f"{VERSION}/profile",
    auth=everybody,
    response=ProfileShape,
    operation_id="get_profile",
    summary="How a version plays",
)
def get_profile(
    request: HttpRequest, response: HttpResponse, version_id: int, wanted: Query[OnLadder]
) -> ProfileShape:
    """Return results by size, turn and board, response times, sources of points, and style.

    Sources are counted by the analyst on demand, so they may be null at first.
    """
    set_public(response, SECONDS)
    version, ladder = find_version(version_id), find_ladder(wanted.ladder)
    results = results_of(ladder, [version.pk])[version.pk]
    sources = sources_of([version.pk], timezone.now()).get(version.pk)
    style = style_of(ladder, version, version.bot.slug)
    return ProfileShape(
        ladder=ladder.slug,
        results=_result(results.whole),
        sizes=[_result(one) for one in results.sizes],
        turns=[_result(one) for one in results.turns],
        boards=[
            ResultOnBoard(board=one.board, games=one.games, firsts=one.firsts, points=one.average)
            for one in boards_of(version)
        ],
        pace=response_times(pace_of_version(version)),
        sources=None if sources is None else SourcesShape.from_orm(sources),
        style=None if style is None else StyleShape.from_orm(style),
    )


@router.get(
    f"{VERSION}/opponents/{{int:opponent_id}}/common",
    auth=everybody,
    response=list[CommonOpponent],
    operation_id="list_common_opponents",
    summary="The common opponents of two versions",
)
def list_common_opponents(
    request: HttpRequest,
    response: HttpResponse,
    version_id: int,
    opponent_id: int,
    wanted: Query[OnLadder],
) -> list[CommonOpponent]:
    """List the opponents that both versions have met on a ladder, and the results of both."""
    set_public(response, SECONDS)
    one, other = find_version(version_id), find_version(opponent_id)
    found = common_opponents(find_ladder(wanted.ladder), one.pk, other.pk)
    names = names_of([one.pk, other.pk, *(first.opponent_id for first, _ in found)])
    return [
        CommonOpponent(first=encounter_shape(first, names), second=encounter_shape(second, names))
        for first, second in found
    ]


@router.get(
    "/bots/{slug:slug}/stories",
    auth=everybody,
    response=list[StoryShape],
    operation_id="list_stories",
    summary="The best games of a bot",
)
def list_stories(request: HttpRequest, response: HttpResponse, slug: str) -> list[StoryShape]:
    """List the best stories about the newest versions of a bot."""
    set_public(response, SECONDS)
    newest = find_bot(slug).versions.order_by("-number").values_list("pk", flat=True)[:50]
    return [story_shape(one) for one in stories_of(list(newest), STORIES)]


@router.get(
    "/bots/{slug:slug}/trophies",
    auth=everybody,
    response=list[TrophyShape],
    operation_id="list_trophies",
    summary="The trophies of a bot",
)
def list_trophies(request: HttpRequest, response: HttpResponse, slug: str) -> list[TrophyShape]:
    """List the first places of a bot in tournaments with final results, newest first."""
    set_public(response, SECONDS)
    plain = ("tournament", "name", "place", "division", "entrants")
    return [
        TrophyShape(number=one.number or None, **{name: getattr(one, name) for name in plain})
        for one in trophies([find_bot(slug).pk])
    ]


def _result(one: Result) -> TableResult:
    return TableResult(
        seats=one.seats or None,
        turn=one.turn,
        games=one.games,
        score=one.score,
        firsts=one.firsts,
        points=one.average,
        faults=one.faults,
    )
