"""The operation that forecasts what a format buys."""

from __future__ import annotations

from typing import Annotated, Final

from django.http import HttpRequest, HttpResponse
from ninja import Field, Router, Schema

from damrak_ladder.accounts.models import Role
from damrak_ladder.api.access import RUN, caller, count
from damrak_ladder.api.administration import check_role
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.requests import Body
from damrak_ladder.api.tournaments import kinds
from damrak_ladder.api.tournaments.rules import GivenRules
from damrak_ladder.message_codes.wording import english
from damrak_ladder.tournaments.forecasts import MOST, Choice, Forecast, forecast_of
from damrak_ladder.tournaments.rule_checks import checked_rules

A_MINUTE: Final = 30
"""Forecasts for one user in a minute, because each of them is a simulation."""

router = Router(tags=["tournaments"])


class NewForecast(Body):
    """Rules as for a new tournament, and the size of the field."""

    rules: GivenRules
    entrants: Annotated[int, Field(ge=2, le=MOST)]


class FormatChoice(Schema):
    """The first stage of a format, how often the best bot wins with it, and what it takes.

    The games and minutes are those of all its stages.
    """

    format: kinds.Format
    players: int
    blocks: int
    percent: int
    games: int
    minutes: int


class DivisionsForecast(Schema):
    """All divisions of a league without play-offs."""

    divisions: int
    games: int
    minutes: int


class ForecastShape(Schema):
    """What a format buys for bots whose strengths have a standard deviation of 150 Elo.

    `chosen` is null if the stages begin with chosen entrants, or because of the `problem`.
    """

    entrants: int
    chosen: FormatChoice | None
    is_by_group: bool
    """The last stage has groups: the percentage is about winning the own group."""
    margin: int
    """The error of the percentage of `chosen`, in percentage points."""
    cheaper: FormatChoice | None
    """As good, for at most 80 % of the games."""
    better: FormatChoice | None
    """Clearly better, for at most the same games."""
    season: DivisionsForecast | None
    days: int | None
    """With one round a day."""
    warnings: list[str]
    problem: str


@router.post(
    "/forecast",
    auth=RUN,
    response=ForecastShape,
    operation_id="forecast_format",
    summary="What a format buys",
)
@refuses("role-missing", "second-factor-needed", "bad-tournament")
def forecast_format(
    request: HttpRequest, response: HttpResponse, new: NewForecast
) -> ForecastShape:
    """Return how often the best bot wins with these rules, their games and minutes, and others.

    It is simulated and creates nothing. The minutes are those of the connected hosts.
    """
    set_private(response)
    check_role(request, Role.ORGANISER)
    count(request, "forecast", str(caller(request).pk), A_MINUTE, 60)
    return _shape(forecast_of(checked_rules(new.rules), new.entrants))


def _shape(found: Forecast) -> ForecastShape:
    season = DivisionsForecast(
        divisions=found.divisions, games=found.season_games, minutes=found.season_minutes
    )
    return ForecastShape(
        entrants=found.entrants,
        chosen=_choice(found.chosen),
        is_by_group=found.is_by_group,
        margin=found.margin,
        cheaper=_choice(found.cheaper),
        better=_choice(found.better),
        season=season if found.divisions else None,
        days=found.days or None,
        warnings=[english(one) for one in found.warnings],
        problem=english(found.problem),
    )


def _choice(one: Choice | None) -> FormatChoice | None:
    return None if one is None else FormatChoice.from_orm(one)
