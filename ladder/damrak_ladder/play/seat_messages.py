"""Messages of the referee to a seat of a person: events, and the open question with its answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from damrak_engine.actions import (
    Action,
    ClaimRoute,
    DrawBlind,
    DrawContracts,
    KeepContracts,
    TakeCard,
)
from damrak_engine.cards import CARDS
from damrak_engine.events import Event
from damrak_engine.observation import Observation
from damrak_engine.rules import Rules
from damrak_ladder.matches.boards import board_file
from damrak_ladder.play.models import Chair, Game, Heard
from damrak_wire.boards import rules_of
from damrak_wire.table import Asked, Ended, News, Response, Welcomed, parse_response


def rules_at(game: Game, seats: int) -> Rules:
    """Return the rules of a game with this number of seats."""
    options = {} if game.block is None else game.block.options
    return rules_of(board_file(game.board), seats, options)


def events_received(chair: Chair, rules: Rules) -> list[Event]:
    """Return the events of the latest attempt, as the seat saw them."""
    found: list[Event] = []
    for response in _responses(chair, rules):
        if isinstance(response, Welcomed):
            first, events = response.first, response.history
        elif isinstance(response, News | Asked | Ended):
            first, events = response.first, response.events
        else:
            continue
        found += events[max(0, len(found) - first) :]  # some may have been told before
    return found


def open_question(chair: Chair, rules: Rules) -> Asked | None:
    """Return the open question of a seat, if there is one."""
    if chair.question is None:
        return None
    row = Heard.objects.filter(chair=chair, attempt=chair.attempt, number=chair.question)
    data = row.values_list("data", flat=True).first()
    asked = None if data is None else parse_response(bytes(data), rules)
    return asked if isinstance(asked, Asked) else None


def is_legal(chair: Chair, action: int, rules: Rules) -> bool:
    """Return whether this action is a legal answer to the open question of a seat."""
    asked = open_question(chair, rules)
    return asked is not None and action in asked.legal


def action_json(number: int, seen: Observation) -> dict[str, Any]:
    """Return an action in the form of a replay, with what the seat sees at that place."""
    action: Action = seen.rules.space.typed(number)
    match action:
        case DrawBlind():
            return {"event": "blind"}
        case TakeCard(slot=slot):
            return {"event": "take", "slot": slot, "card": CARDS[seen.row[slot]].word}
        case DrawContracts():
            return {"event": "offer"}
        case KeepContracts(first=first, second=second):
            chosen = (first, second)
            kept = [one for one, is_kept in zip(seen.offer, chosen, strict=False) if is_kept]
            return {"event": "keep", "contracts": kept}
        case ClaimRoute(route=route, colour=colour, wilds=wilds):
            word = None if colour is None else colour.word
            return {"event": "claim", "route": route, "colour": word, "wilds": wilds}
        case _:
            return {"event": "pass"}


def _responses(chair: Chair, rules: Rules) -> Iterator[Response | None]:
    rows = Heard.objects.filter(chair=chair, attempt=chair.attempt).order_by("number")
    for data in rows.values_list("data", flat=True):
        yield parse_response(bytes(data), rules)
