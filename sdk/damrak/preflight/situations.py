"""Rare positions in which bots often fail, each found in a game of random play."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from damrak.hosting.driver import Question
from damrak_engine.actions import PASS
from damrak_engine.board import Board, parse_board
from damrak_engine.boards import load_board
from damrak_engine.cards import NO_CARD
from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.events import Event, seen_by
from damrak_engine.observation import observe
from damrak_engine.options import DEFAULTS, Options
from damrak_engine.position import KEEP, SECOND, SETUP, TURN
from damrak_engine.rules import Rules, rules_for
from damrak_engine.state import State

AMSTERDAM: Final = load_board("amsterdam")

# A board on which nothing can be built, because there are fewer cards than the length of its
# routes. Cards and contracts run out, the row gets gaps, and in the end all seats must pass.
BARE: Final[dict[str, Any]] = {
    "format": "damrak-board/1",
    "id": "bare",
    "name": "Nothing to build",
    "players": [2, 3],
    "carts_per_player": 16,
    "colours": ["pink", "blue", "green", "black", "red", "orange"],
    "cards_per_colour": 1,
    "wild_cards": 5,
    "goods_cards": 0,
    "route_points": {"12": 20},
    "goods_bonus": {"2": [], "3": [], "4": []},
    "locations": [
        {"id": name, "name": name.upper(), "x": 100 * i, "y": 50 * (i % 2)}
        for i, name in enumerate("abc")
    ],
    "routes": [
        {"id": i, "from": a, "to": b, "length": 12, "colour": colour, "goods": False}
        for i, (a, b, colour) in enumerate([("a", "b", "grey"), ("b", "c", "pink")])
    ],
    "contracts": [
        {"id": i, "from": a, "to": b, "points": 1 + i}
        for i, (a, b) in enumerate(
            [("a", "b"), ("b", "c"), ("a", "c"), ("b", "a"), ("c", "b"), ("c", "a")]
        )
    ],
}
BARE_BOARD: Final[Board] = parse_board(BARE)

Claim = Callable[[State], bool]


@dataclass(frozen=True, slots=True)
class Situation:
    """A position in which a seat must decide, and all events that the seat has seen."""

    name: str
    state: State
    seat: int
    events: tuple[Event, ...]

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.state.rules

    @property
    def legal(self) -> list[int]:
        """The legal actions of the seat."""
        return self.state.legal_for(self.seat)

    def question(self, control: TimeControl) -> Question:
        """Return the decision as a question for a bot, with the full time of a match."""
        limit = None if control.decision_ms is None else 1000 * control.decision_ms
        left = TimeLeft(limit, 1000 * control.bank_ms)
        return Question(0, observe(self.state, self.seat), self.legal, left, self.events)


def situations() -> list[Situation]:
    """Return all situations."""
    hidden = Options(hand_size_public="no")
    return [
        *(
            _found(f"the first contracts, {seats} seats", AMSTERDAM, seats, _is_set_up)
            for seats in (2, 3, 4)
        ),
        _found("a turn", AMSTERDAM, 2, lambda it: it.phase == TURN and it.turns > 10),
        _found("the second card", AMSTERDAM, 2, lambda it: it.phase == SECOND),
        _found("contracts on offer", AMSTERDAM, 3, lambda it: it.phase == KEEP),
        _found("the last contract, to be kept", BARE_BOARD, 2, _is_last_contract),
        _found("the last round", AMSTERDAM, 4, lambda it: it.last_turns > 0),
        _found("a row with a gap", BARE_BOARD, 3, lambda it: NO_CARD in it.row),
        _found("nothing to do but pass", BARE_BOARD, 2, _is_forced_pass),
        _found("a seat that has left", AMSTERDAM, 3, lambda it: it.gone > 0 and it.turns > 10),
        _found("hands of hidden size", AMSTERDAM, 2, lambda it: it.turns > 5, hidden),
    ]


def _is_set_up(state: State) -> bool:
    return state.phase == SETUP


def _is_last_contract(state: State) -> bool:
    return state.phase == KEEP and len(state.offers[state.actor]) == 1


def _is_forced_pass(state: State) -> bool:
    return state.phase == TURN and state.legal_actions() == [PASS]


def _found(
    name: str, board: Board, seats: int, claim: Claim, options: Options = DEFAULTS
) -> Situation:
    """Return the first position that satisfies `claim`, in the first game that has one."""
    rules = rules_for(board, seats, options)
    number = 0
    while True:
        number += 1
        rng = random.Random(number)
        dice = SeedDice(rng.randbytes(32))
        log: list[Event] = []
        state = new_game(rules, dice, log)
        while not state.is_over:
            if claim(state):
                seat = state.actor
                return Situation(name, state, seat, tuple([seen_by(event, seat) for event in log]))
            if seats > 2 and state.turns == 4 and not state.gone:
                state.leave(state.actor, "crash", "", dice)
            else:
                state.apply(state.random_action(rng.random), dice)
