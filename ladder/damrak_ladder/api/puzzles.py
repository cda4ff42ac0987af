"""API of puzzles: positions of recorded matches with moves to choose from, and answers."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Final, Literal

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Query, Router, Schema
from typing_extensions import TypeAliasType

from damrak_engine.errors import ReplayError
from damrak_engine.replay import parse_replay
from damrak_ladder.api import types
from damrak_ladder.api.access import everybody
from damrak_ladder.api.answers import OPEN, set_public
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.filter_types import Day
from damrak_ladder.api.pagination import Page, piece_of
from damrak_ladder.api.problems import not_found
from damrak_ladder.api.requests import Body
from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.wording import english
from damrak_ladder.puzzles.daily import puzzle_of
from damrak_ladder.puzzles.gate import public_puzzles
from damrak_ladder.puzzles.models import Puzzle
from damrak_ladder.puzzles.reasons import reasons_of
from damrak_ladder.puzzles.search import CHOICES
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.replays.storage import load

ORDERS: Final = {"new": "-pk", "easy": "difficulty", "hard": "-difficulty"}

PuzzleOrder = TypeAliasType("PuzzleOrder", Literal["new", "easy", "hard"])
PuzzleMove = TypeAliasType("PuzzleMove", dict[str, Any])
"""A move as an event of a replay (docs/replay.md)."""

router = Router(tags=["puzzles"])


class PuzzleShape(Schema):
    """A puzzle: which of these moves is the best for this seat?"""

    id: int
    match: int
    moment: int
    """The number of the latest event of the match before the decision."""
    seat: int
    choices: list[PuzzleMove]
    difficulty: float
    """1500 until somebody has answered: see `answers`."""
    answers: int
    """The number of first answers of visitors of the site."""
    right: int
    """How many of them were right."""
    wrong: int
    created: datetime


class GainShape(Schema):
    """How much better the best move is than this one, in points, with its 95 % interval."""

    points: float
    low: float
    high: float


class PuzzleReason(Schema):
    """A fact about the best move."""

    code: types.PuzzleReasonCode
    text: str


class PuzzleSolution(Schema):
    """The solution of a puzzle."""

    is_right: bool
    best: int
    """The index of the best move in `choices`."""
    played: PuzzleMove
    """The move that was made in the match."""
    gains: list[GainShape]
    """One for each of the `choices`."""
    reasons: list[PuzzleReason]
    """Facts about the best move; there may be none."""


class PuzzleFilter(Page):
    """A page of puzzles."""

    sort: PuzzleOrder = "new"


class PuzzleAnswer(Body):
    """An answer: the index of a move in `choices`."""

    choice: Annotated[int, Field(ge=0, le=CHOICES - 1)]


@router.get(
    "/puzzles",
    auth=everybody,
    response=list[PuzzleShape],
    operation_id="list_puzzles",
    summary="All puzzles",
)
def list_puzzles(
    request: HttpRequest, response: HttpResponse, page: Query[PuzzleFilter]
) -> list[PuzzleShape]:
    """List the puzzles by age or difficulty, without their solutions."""
    set_public(response, 60)
    rows = public_puzzles().order_by(ORDERS[page.sort], "-pk")
    return [_shape(one) for one in piece_of(rows, page, request, response)]


@router.get(
    "/puzzles/day",
    auth=everybody,
    response=PuzzleShape,
    operation_id="get_daily_puzzle",
    summary="The puzzle of a day",
)
@refuses("not-found")
def get_daily_puzzle(
    request: HttpRequest, response: HttpResponse, day: Day | None = None
) -> PuzzleShape:
    """Return the puzzle of a day, by default today, or else that of the latest day before it."""
    set_public(response, 60)
    today = timezone.now().date()
    asked: date = today if day is None else min(day, today)
    found = puzzle_of(asked)
    if found is None:
        raise not_found(f"puzzle of {asked}", "GET /api/v1/puzzles lists all")
    return _shape(found)


@router.get(
    "/puzzles/{int:puzzle_id}",
    auth=everybody,
    response=PuzzleShape,
    operation_id="get_puzzle",
    summary="A puzzle",
)
def get_puzzle(request: HttpRequest, response: HttpResponse, puzzle_id: int) -> PuzzleShape:
    """Return a puzzle without its solution."""
    set_public(response, 60)
    return _shape(_found(puzzle_id))


@router.post(
    "/puzzles/{int:puzzle_id}/answers",
    auth=everybody,
    response=PuzzleSolution,
    operation_id="answer_puzzle",
    summary="Answer a puzzle",
)
def answer_puzzle(
    request: HttpRequest, response: HttpResponse, puzzle_id: int, answer: PuzzleAnswer
) -> PuzzleSolution:
    """Return the solution. Answers of programs are not counted in `right` and `wrong`."""
    for name, value in OPEN.items():
        response[name] = value
    response["Cache-Control"] = "no-store"
    found = _found(puzzle_id)
    return PuzzleSolution(
        is_right=answer.choice == found.best,
        best=found.best,
        played=found.played,
        gains=[GainShape(points=mean, low=low, high=high) for mean, low, high in found.gains],
        reasons=[PuzzleReason(code=one.code, text=english(one)) for one in _reasons(found)],
    )


def _reasons(puzzle: Puzzle) -> tuple[Message, ...]:
    try:
        return reasons_of(puzzle, parse_replay(load(puzzle.replay)))
    except (ReplayStoreError, ReplayError):  # the solution does not need them
        return ()


def _found(puzzle_id: int) -> Puzzle:
    found = public_puzzles().filter(pk=puzzle_id).first() if puzzle_id < 1 << 63 else None
    if found is None:
        raise not_found(f"puzzle {puzzle_id}", "GET /api/v1/puzzles lists all")
    return found


def _shape(puzzle: Puzzle) -> PuzzleShape:
    names = PuzzleShape.model_fields.keys() - {"match"}
    return PuzzleShape(match=puzzle.match_id, **{name: getattr(puzzle, name) for name in names})
