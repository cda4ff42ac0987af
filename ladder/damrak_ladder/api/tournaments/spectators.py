"""The operations for spectators: chances to win, and leagues with their seasons."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Final

from django.http import HttpRequest, HttpResponse
from ninja import Field, Schema

from damrak_ladder.api.access import everybody_by_name
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.problems import not_found
from damrak_ladder.api.tournaments import kinds
from damrak_ladder.api.tournaments.details import PATH, StageNumber, router
from damrak_ladder.api.tournaments.viewers import seen_tournament, viewer_of
from damrak_ladder.tournaments.cached_chances import forecasts, groups_of, winners_of
from damrak_ladder.tournaments.chances import MOST_ALL_MEET, can_forecast
from damrak_ladder.tournaments.documents import names_of
from damrak_ladder.tournaments.seasons import SHOWN, seasons_of, visible_leagues

LAST: Final = kinds.MOST

__all__ = ["router"]


class ChanceShape(Schema):
    """The chance of an entrant to win, from 0 to 1, and its course: the values `after` rounds.

    `group` counts from 0; null if the chance is not that of winning a group.
    """

    entrant: int
    bot: str
    name: str
    group: int | None
    chance: float
    course: list[float]


class ForecastScore(Schema):
    """The Brier score of the forecast after this number of rounds: 0 is perfect, 2 the worst."""

    rounds: int
    score: float


class ChancesShape(Schema):
    """The chances in a stage, best first; the scores follow once the results are final.

    `after` are the numbers of rounds after which there are forecasts: the last one, and up to 16.
    """

    stage: int
    rounds: int
    after: list[int]
    entrants: list[ChanceShape]
    scores: list[ForecastScore]


class LeagueShape(Schema):
    """A league."""

    slug: str
    name: str
    summary: str


class DivisionRow(Schema):
    """A bot in the table of a division."""

    place: int
    entrant: int
    bot: str
    name: str
    points: kinds.Fraction
    played: int


class DivisionShape(Schema):
    """A division, or a play-off, with its table."""

    number: int
    name: str
    is_play_off: bool
    rows: list[DivisionRow]


class MoveShape(Schema):
    """A bot that changed its division; null is outside the league.

    `chance` is the probability that it is stronger than the bot `instead_of`, which went down.
    """

    bot: str
    name: str
    why: str
    was: int | None
    now: int | None
    instead_of: str
    chance: float | None


class SeasonShape(Schema):
    """A season of a league, with the moves since the one before it."""

    number: int
    tournament: str
    name: str
    phase: kinds.TournamentPhase
    divisions: list[DivisionShape]
    moves: list[MoveShape]


class LeagueInFull(LeagueShape):
    """A league with its newest seasons. `next` is the `before` of earlier ones; null at the end."""

    seasons: list[SeasonShape]
    next: int | None


@router.get(
    f"{PATH}/chances",
    auth=everybody_by_name,
    response=ChancesShape,
    operation_id="get_chances",
    summary="The chances to win a tournament",
)
def get_chances(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, stage: StageNumber = 0
) -> Any:
    """Return the chance of each entrant to win, and how good the forecasts were."""
    found, seen = seen_tournament(request, response, slug)
    begun = seen.state.stages.get(stage)
    if begun is None:
        raise not_found(f"forecast of stage {stage} of {slug}")
    if not can_forecast(begun):
        cure = f"there are none where more than {MOST_ALL_MEET} entrants all meet"
        raise not_found(f"forecast of stage {stage} of {slug}", cure)
    made, names = forecasts(found, seen, begun), names_of(found)
    latest, winners, groups = made[-1].chances, winners_of(seen, begun), groups_of(seen, begun)
    return {
        "stage": stage,
        "rounds": made[-1].rounds,
        "after": [each.rounds for each in made],
        "entrants": [
            {
                **names.short(one),
                "group": groups.get(one),
                "chance": latest[one],
                "course": [each.chances[one] for each in made],
            }
            for one in sorted(latest, key=lambda one: (-latest[one], one))
        ],
        "scores": [{"rounds": one.rounds, "score": one.brier(winners)} for one in made[:-1]]
        if winners
        else [],
    }


@router.get(
    "/leagues",
    auth=everybody_by_name,
    response=list[LeagueShape],
    operation_id="list_leagues",
    summary="Leagues",
)
def list_leagues(request: HttpRequest, response: HttpResponse) -> Any:
    """List the leagues that have a season."""
    set_private(response)
    return list(visible_leagues(viewer_of(request)).order_by("slug"))


@router.get(
    "/leagues/{slug:slug}",
    auth=everybody_by_name,
    response=LeagueInFull,
    operation_id="get_league",
    summary="A league with its seasons",
)
def get_league(
    request: HttpRequest,
    response: HttpResponse,
    slug: kinds.Slug,
    before: Annotated[int, Field(ge=1, le=LAST)] = LAST,
) -> Any:
    """Return the newest seasons before this one, with their divisions and moves."""
    set_private(response)
    viewer = viewer_of(request)
    league = visible_leagues(viewer).filter(slug=slug).first()
    if league is None:
        raise not_found(f"league {slug}", "GET /api/v1/leagues lists them")
    seasons = seasons_of(league, viewer, before, SHOWN)
    more = seasons[-1].number if len(seasons) == SHOWN and seasons[-1].number > 1 else None
    shown = [{"tournament": one.slug, **asdict(one)} for one in seasons]
    head = {name: getattr(league, name) for name in LeagueShape.model_fields}
    return {**head, "seasons": shown, "next": more}
