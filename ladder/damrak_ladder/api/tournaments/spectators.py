"""The operations for spectators: the chances to win, and the cross-table."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Schema

from damrak_ladder.api.access import everybody_by_name
from damrak_ladder.api.problems import not_found
from damrak_ladder.api.tournaments import kinds
from damrak_ladder.api.tournaments.details import PATH, StageNumber, router
from damrak_ladder.api.tournaments.viewers import seen_tournament
from damrak_ladder.tournaments.cached_chances import equal_score, forecasts, groups_of, winners_of
from damrak_ladder.tournaments.chances import MOST_ALL_MEET, can_forecast
from damrak_ladder.tournaments.cross_table import cross_table_of
from damrak_ladder.tournaments.documents import names_of

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
    equal_score: float
    """The score of equal chances for all entrants."""


class CrossCell(Schema):
    """The share of points of the row against the column, with its 95 % interval."""

    share: float
    low: float
    high: float
    games: int
    rounds: list[int]


class CrossLine(Schema):
    """An entrant with its cells, in the order of the lines; null where they have not met."""

    entrant: int
    bot: str
    name: str
    place: int | None
    points: kinds.Fraction
    cells: list[CrossCell | None]


class CrossTableShape(Schema):
    """The scores of the first entrants of a stage against each other; `entrants` counts all."""

    stage: int
    entrants: int
    lines: list[CrossLine]


@router.get(
    f"{PATH}/cross-table",
    auth=everybody_by_name,
    response=CrossTableShape,
    operation_id="get_cross_table",
    summary="The cross-table of a tournament",
)
def get_cross_table(
    request: HttpRequest, response: HttpResponse, slug: kinds.Slug, stage: StageNumber = 0
) -> Any:
    """Return the scores of up to 40 entrants of a stage against each other, the best first."""
    found, seen = seen_tournament(request, response, slug)
    begun = seen.state.stages.get(stage)
    if begun is None:
        raise not_found(f"cross-table of stage {stage} of {slug}")
    table = cross_table_of(seen, begun, names_of(found))
    lines = [
        {
            **one.entrant,
            "place": one.place,
            "points": one.points,
            "cells": [None if cell is None else asdict(cell) for cell in one.cells],
        }
        for one in table.lines
    ]
    return {"stage": stage, "entrants": table.entrants, "lines": lines}


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
        "equal_score": equal_score(seen, begun),
    }
