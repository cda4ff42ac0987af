"""Decisions of a recorded match, played again by the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from damrak.data.files import DamagedFile
from damrak.data.recorded import Match
from damrak_engine.actions import BLIND, KEEP_FIRST, OFFER, PASS, TAKE, ClaimRoute
from damrak_engine.cards import CARD_OF_WORD
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.errors import EngineError
from damrak_engine.events import FAULTS
from damrak_engine.scoring import result
from damrak_engine.state import State

_PROBLEMS: Final = (EngineError, LookupError, TypeError, ValueError, AttributeError)


def replayed(match: Match) -> Iterator[tuple[State, int]]:
    """Yield the state before each decision, and its action; the state is one mutable object.

    The cards come from the seed, as in the match. Decisions must be legal and lead to the recorded
    result, but other events and the signature are not checked: see `damrak_engine.verify`.

    Raises:
        DamagedFile: the match cannot have been played like this.
    """
    dice = SeedDice(match.header.seed)
    number = 0
    try:
        state = new_game(match.rules, dice, None, _first(match))
        for number, event in enumerate(match.events):  # noqa: B007 - for the message
            kind = event["event"]
            if kind == "fault":
                if event["reason"] not in FAULTS:
                    raise ValueError("an unknown reason")
                state.leave(event["seat"], event["reason"], "", dice)
            elif kind in _ACTIONS:
                if event["seat"] != state.actor:
                    raise ValueError(f"a decision of seat {state.actor} was expected")
                action = _ACTIONS[kind](event, state)
                if action < 0 or not state.legal_mask() >> action & 1:
                    raise ValueError("it is not legal")
                yield state, action
                state.apply(action, dice)
        if not state.is_over:
            raise ValueError("the match does not end")
        if result(state, dice) != match.result:
            raise ValueError("the result differs from that of the decisions")
    except _PROBLEMS as problem:
        raise DamagedFile(match.name, f"event {number}: {problem}") from None


def _first(match: Match) -> int | None:
    if match.header.options.first_player != "rotate":
        return None
    first = match.events[0]["first"]
    if type(first) is not int or not 0 <= first < match.rules.seats:
        raise ValueError("a deal with the first player was expected")
    return first


def _keep(event: dict[str, Any], state: State) -> int:
    offer, kept = state.offers[event["seat"]], event["contracts"]
    if not kept or len(set(kept)) != len(kept):
        raise ValueError("contracts on offer were expected")
    return KEEP_FIRST - 1 + sum([1 << offer.index(contract) for contract in kept])


def _take(event: dict[str, Any], state: State) -> int:
    slot = event["slot"]
    if slot not in range(len(state.row)):
        raise ValueError("a slot of the row was expected")
    return TAKE + int(slot)


def _claim(event: dict[str, Any], state: State) -> int:
    colour = event["colour"]
    card = None if colour is None else CARD_OF_WORD[colour]
    return state.rules.space.id_of(ClaimRoute(event["route"], card, event["wilds"]))


_ACTIONS: Final[dict[str, Callable[[dict[str, Any], State], int]]] = {
    "keep": _keep,
    "blind": lambda event, state: BLIND,
    "take": _take,
    "claim": _claim,
    "offer": lambda event, state: OFFER,
    "pass": lambda event, state: PASS,
}
