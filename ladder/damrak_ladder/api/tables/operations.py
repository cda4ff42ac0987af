"""The operations of tables: games against bots and people, which a program plays for its user."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Status

from damrak_engine.boards import board_names
from damrak_ladder.api.access import PLAY, READ, address_of, caller, count, everybody
from damrak_ladder.api.answers import set_private, set_public
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.tables.shapes import (
    NewAdvice,
    NewAnswer,
    NewTable,
    TableChoices,
    TableOpponent,
    TablePace,
    TableRow,
    TableShape,
    row_of,
    table_of,
)
from damrak_ladder.play import answers, tables
from damrak_ladder.play.errors import BadChoice, BotAway, TableFull, TooManyGames
from damrak_ladder.play.models import Chair, Game
from damrak_ladder.play.opponents import house_opponents, open_opponents, versions_of
from damrak_ladder.play.paces import PACES
from damrak_ladder.play.seat_messages import is_legal, rules_at

TABLES_AN_HOUR: Final = 60
ADVICE_AN_HOUR: Final = 300
LISTED: Final = 20
PATH: Final = "/play/tables/{str:code}"

router = Router(tags=["play"])


@router.get(
    "/play",
    auth=everybody,
    response=TableChoices,
    operation_id="get_table_choices",
    summary="Opponents, boards and paces of tables",
)
def get_table_choices(request: HttpRequest, response: HttpResponse) -> TableChoices:
    """Return what a new table can have."""
    set_public(response, 60)
    bots = [*house_opponents(), *open_opponents(timezone.now())]
    return TableChoices(
        opponents=[TableOpponent(value=one.value, bot=one.slug, name=one.name) for one in bots],
        boards=list(board_names()),
        paces=[TablePace(name=name, control=control) for name, control in PACES.items()],
    )


@router.get(
    "/play/tables",
    auth=READ,
    response=list[TableRow],
    operation_id="list_tables",
    summary="Your tables",
)
def list_tables(request: HttpRequest, response: HttpResponse) -> list[TableRow]:
    """List the tables of the caller's programs, newest first, for a week after their end."""
    set_private(response)
    own = Game.objects.filter(chairs__key=_key(request)).select_related("block")
    return [TableRow(**row_of(one)) for one in own.order_by("-created", "-pk")[:LISTED]]


@router.post(
    "/play/tables",
    auth=PLAY,
    response={201: TableShape},
    operation_id="create_table",
    summary="Create a table",
    openapi_extra={"x-damrak-headers": ("Location",)},
)
@refuses("bad-choice", "bot-away", "limit-reached")
@idempotent(PLAY)
def create_table(request: HttpRequest, response: HttpResponse, new: NewTable) -> Status[TableShape]:
    """Create a table with bots, people or both, and take a seat at it."""
    set_private(response)
    count(request, "tables", str(caller(request).pk), TABLES_AN_HOUR, 3600)
    now = timezone.now()
    try:
        if new.board not in board_names():
            raise BadChoice(new.board)
        bots = tuple(versions_of(new.opponents, now))
        wish = tables.Wish(bots, new.people, new.board, new.pace)
        made = tables.create(wish, _key(request), address_of(request), now)
    except BadChoice as problem:
        named = f"{problem} does not exist" if str(problem) else "2 to 4 seats and a known pace"
        detail = f"the table is not possible: {named}"
        raise Problem(422, "bad-choice", detail, "GET /api/v1/play lists the choices") from None
    except BotAway as problem:
        cure = "choose another opponent: GET /api/v1/play lists those that can play now"
        raise Problem(409, "bot-away", f"the bot {problem} is not connected", cure) from None
    except TooManyGames:
        detail = "too many games of this address are unfinished"
        raise Problem(409, "limit-reached", detail, "finish one, or leave it") from None
    response["Location"] = f"/api/v1/play/tables/{made.code}"
    return Status(201, table_of(_game(made.code), _key(request)))


@router.get(
    PATH,
    auth=READ,
    response=TableShape,
    operation_id="get_table",
    summary="A table as your seat knows it",
)
def get_table(request: HttpRequest, response: HttpResponse, code: str) -> TableShape:
    """Return a table with what the caller's seat was told, and the open question."""
    set_private(response)
    return table_of(_game(code), _key(request))


@router.post(
    f"{PATH}/join",
    auth=PLAY,
    response=TableShape,
    operation_id="join_table",
    summary="Take a free seat",
)
@refuses("table-full")
def join_table(request: HttpRequest, response: HttpResponse, code: str) -> TableShape:
    """Take a free seat of a table; the game begins when the last one is taken."""
    set_private(response)
    try:
        tables.join(_game(code), _key(request), timezone.now())
    except TableFull:
        raise Problem(409, "table-full", "no seat is free", "create another table") from None
    return table_of(_game(code), _key(request))


@router.post(
    f"{PATH}/answers",
    auth=PLAY,
    response=TableShape,
    operation_id="answer_at_table",
    summary="Answer the open question",
)
@refuses("not-open")
def answer_at_table(
    request: HttpRequest, response: HttpResponse, code: str, new: NewAnswer
) -> TableShape:
    """Answer the open question of the caller's seat. Only the first answer to it counts."""
    set_private(response)
    game, own = _sitting(request, code)
    is_open = own.asked == new.decision and own.choice is None
    if not is_open or not is_legal(own, new.action, rules_at(game, game.chairs.count())):
        detail = f"decision {new.decision} is not open, or action {new.action} is not legal"
        raise _not_open(detail)
    if not answers.answer(own, new.decision, new.action):
        raise _not_open(f"decision {new.decision} has been answered")
    return table_of(_game(code), _key(request))


@router.post(
    f"{PATH}/advice",
    auth=PLAY,
    response=TableShape,
    operation_id="ask_advice",
    summary="Ask what a house bot would do",
)
@refuses("not-open")
def ask_advice(
    request: HttpRequest, response: HttpResponse, code: str, new: NewAdvice
) -> TableShape:
    """Ask for advice on the open question; it appears at the table when it is computed."""
    set_private(response)
    count(request, "advice", str(caller(request).pk), ADVICE_AN_HOUR, 3600)
    _, own = _sitting(request, code)
    if own.asked is None or not answers.ask_advice(own.pk, own.asked, new.kind):
        raise _not_open("no question is open, or there is no more advice in this game")
    return table_of(_game(code), _key(request))


@router.post(
    f"{PATH}/back",
    auth=PLAY,
    response=TableShape,
    operation_id="take_back",
    summary="Take the last decision back",
)
@refuses("not-open")
def take_back(request: HttpRequest, response: HttpResponse, code: str) -> TableShape:
    """Take the last decision back, alone against house bots; the game is repeated up to it."""
    set_private(response)
    count(request, "advice", str(caller(request).pk), ADVICE_AN_HOUR, 3600)
    _, own = _sitting(request, code)
    if not answers.take_back(own):
        raise _not_open("there is nothing that can be taken back")
    return table_of(_game(code), _key(request))


@router.post(
    f"{PATH}/leave",
    auth=PLAY,
    response={204: None},
    operation_id="leave_table",
    summary="Leave a table for good",
)
def leave_table(request: HttpRequest, response: HttpResponse, code: str) -> Status[None]:
    """Leave a table for good; the referee ends the game of this seat after its grace."""
    answers.leave(_sitting(request, code)[1].pk)
    return Status(204, None)


def _key(request: HttpRequest) -> str:
    return tables.key_of_user(caller(request).pk)


def _not_open(detail: str) -> Problem:
    return Problem(409, "not-open", detail, "look at the table again: GET /play/tables/CODE")


def _game(code: str) -> Game:
    rows = Game.objects.select_related("block")
    found = None if "\0" in code else rows.filter(code=code).first()
    if found is None:
        raise not_found(f"table {code}"[:200], "GET /api/v1/play/tables lists yours")
    return found


def _sitting(request: HttpRequest, code: str) -> tuple[Game, Chair]:
    """Return a table and the caller's seat.

    Raises:
        Problem: there is none.
    """
    game = _game(code)
    own = game.chairs.filter(key=_key(request)).first()
    if own is None:
        raise not_found(f"seat of yours at table {code}"[:200], "take one: POST …/join")
    own.game = game
    return game, own
