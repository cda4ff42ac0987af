"""The shapes of tables, and what a seat knows of its table."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.utils import timezone
from ninja import Field, Schema
from typing_extensions import TypeAliasType

from damrak_engine.bundle import OBSERVATION_FIELDS, events_json, shown
from damrak_ladder.api import filter_types, types
from damrak_ladder.api.filter_types import STORABLE
from damrak_ladder.api.requests import Body
from damrak_ladder.matches.models import Block, BlockState, Match
from damrak_ladder.message_codes.block_codes import BotNotConnected
from damrak_ladder.message_codes.wording import english
from damrak_ladder.play.answers import may_take_back
from damrak_ladder.play.models import Chair, Game
from damrak_ladder.play.opponents import awaited
from damrak_ladder.play.seat_messages import action_json, events_received, open_question, rules_at
from damrak_ladder.tournaments.visibility import passed

Text = Annotated[str, Field(max_length=150, pattern=STORABLE)]
TableEvent = TypeAliasType("TableEvent", dict[str, Any])
"""An event as the seat saw it, as in a bundle of a fault."""
SeatObservation = TypeAliasType("SeatObservation", dict[str, Any])
"""What the seat knows, as in a bundle of a fault."""
LegalMove = TypeAliasType("LegalMove", dict[str, Any])
"""A move as an event of a replay."""


class TableOpponent(Schema):
    """A bot to play against; `value` names it in a new table."""

    value: str
    bot: str
    name: str


class TablePace(Schema):
    """A time control for people."""

    name: types.Pace
    control: types.TimeControl


class TableChoices(Schema):
    """What a new table can have."""

    opponents: list[TableOpponent]
    boards: list[str]
    paces: list[TablePace]


class NewTable(Body):
    """A new table, at which the caller takes the first seat."""

    opponents: Annotated[list[Text], Field(max_length=3)] = Field(default_factory=list)
    """Bots by the `value` of `GET /play`."""
    people: Annotated[int, Field(ge=1, le=4)] = 1
    """The number of people, the caller included; others join with the code."""
    board: Text
    pace: filter_types.Pace = "calm"


class ChairShape(Schema):
    """A seat of a table."""

    seat: int
    bot: str
    version: int
    is_person: bool
    is_free: bool
    is_own: bool


class LegalAction(Schema):
    """A legal answer."""

    action: int
    move: LegalMove


class QuestionShape(Schema):
    """The open question to the caller's seat."""

    decision: int
    observation: SeatObservation
    legal: list[LegalAction]
    bank_ms: int
    """The time left when it was asked."""
    chosen: int | None
    """The answer that was sent, until it is played."""


class GivenAdvice(Schema):
    """Advice on the open question; `action` is null while it is computed."""

    kind: types.Advice
    action: int | None


class TableRow(Schema):
    """A table. It begins when no seat is free, and `match` then has its result and replay."""

    code: str
    board: str
    pace: types.Pace
    created: datetime
    state: types.BlockState | None
    """Null while seats are free."""
    match: int | None


class TableShape(TableRow):
    """A table as the caller's seat knows it."""

    seats: list[ChairShape]
    seat: int | None
    """The caller's seat."""
    events: list[TableEvent]
    question: QuestionShape | None
    advice: GivenAdvice | None
    may_take_back: bool
    awaited: list[str]
    """The remote bots that are not connected, for which the game waits."""
    trouble: str
    """Why the game did not take place, if a bot was not connected in time; else empty."""


class NewAnswer(Body):
    """An answer to the open question."""

    decision: Annotated[int, Field(ge=0, le=(1 << 63) - 1)]
    action: Annotated[int, Field(ge=0, le=(1 << 31) - 1)]


class NewAdvice(Body):
    """A wish for advice on the open question."""

    kind: filter_types.Advice


def row_of(game: Game) -> dict[str, Any]:
    """Return what everyone with the code of a table may know."""
    match = passed(Match).filter(block=game.block_id).first() if game.block_id else None
    return {
        **{name: getattr(game, name) for name in ("code", "board", "pace", "created")},
        "state": None if game.block is None else game.block.state,
        "match": None if match is None else match.pk,
    }


def table_of(game: Game, key: str) -> TableShape:
    """Return a table as the seat with this key knows it."""
    chairs = list(game.chairs.order_by("number").select_related("version__bot"))
    own = next((chair for chair in chairs if chair.key == key), None)
    seats = [
        ChairShape(
            seat=one.number,
            bot=one.version.bot.slug,
            version=one.version.number,
            is_person=one.is_person,
            is_free=one.is_person and not one.key,
            is_own=one is own,
        )
        for one in chairs
    ]
    known: dict[str, Any] = {"events": [], "question": None, "advice": None}
    if own is not None and game.block is not None:
        own.game = game
        known = _known(game, own, len(chairs))
    return TableShape(
        **row_of(game),
        seats=seats,
        seat=None if own is None else own.number,
        may_take_back=own is not None and may_take_back(own),
        awaited=_awaited(game.block),
        trouble=_trouble(game.block),
        **known,
    )


def _awaited(block: Block | None) -> list[str]:
    return [] if block is None else [one.bot.slug for one in awaited(block, timezone.now())]


def _trouble(block: Block | None) -> str:
    if block is None or block.state != BlockState.DEAD:
        return ""
    # Other reasons may name machines.
    return english(block.trouble) if isinstance(block.trouble, BotNotConnected) else ""


def _known(game: Game, own: Chair, seats: int) -> dict[str, Any]:
    rules = rules_at(game, seats)
    asked = open_question(own, rules)
    question = advice = None
    if asked is not None and asked.decision == own.asked:
        seen = asked.observation
        question = QuestionShape(
            decision=asked.decision,
            observation={name: shown(getattr(seen, name)) for name in OBSERVATION_FIELDS},
            legal=[LegalAction(action=one, move=action_json(one, seen)) for one in asked.legal],
            bank_ms=asked.time_left.us // 1000,
            chosen=own.choice,
        )
        advice = GivenAdvice(kind=own.wish, action=own.advice) if own.wish else None
    events = events_json(events_received(own, rules))
    return {"events": events, "question": question, "advice": advice}
