"""Hypothesis strategies for the engine: tables, options, and games played at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import strategies as st

from damrak_engine.actions import BLIND, FIRST_CLAIM, OFFER
from damrak_engine.board import Board
from damrak_engine.deal import new_game
from damrak_engine.dice import Dice, SeedDice
from damrak_engine.events import FAULTS, Event
from damrak_engine.options import CHOICES, parse_options
from damrak_engine.rules import Rules, rules_for
from damrak_engine.state import State
from positions import AMSTERDAM, scant_board, small_board

SMALL_BOARD = small_board()
BOARDS = {"amsterdam": AMSTERDAM, "small": SMALL_BOARD, "scant": scant_board()}


def seed_of(number: int) -> bytes:
    """Return the seed of the dice for a number."""
    return number.to_bytes(32, "big")


SPREAD: list[dict[str, str]] = [
    {},
    {"reshuffle": "eager", "second_card": "optional"},
    {},
    {"flush_guard": "cap3", "all_wild": "no", "final_tie": "goods"},
    {},
    {"pass": "voluntary", "turn_limit": "60", "goods_ties": "split"},
    {"equal_turns": "on", "double_open_from": "2 players", "goods_exhausted": "virtual"},
    {"initial_choice": "in_turn_order", "returned_order": "shuffled", "final_tie": "seed draw"},
    {"flush_guard": "once", "hand_size_public": "no", "first_player": "rotate"},
]


# ---- one game ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """A game to play at random, with everything that determines its course."""

    board: str = "amsterdam"
    seats: int = 2
    options: dict[str, str] = field(default_factory=dict)
    number: int = 0
    faults: float = 0.0

    @property
    def rules(self) -> Rules:
        """The tables of this game."""
        return rules_for(BOARDS[self.board], self.seats, parse_options(dict(self.options)))

    def deal(self, dice: Dice, log: list[Event] | None = None) -> State:
        """Return the dealt game."""
        rules = self.rules
        rotating = rules.options.first_player == "rotate"
        return new_game(rules, dice, log, self.number % self.seats if rotating else None)


Step = tuple[str, int, int]  # ("apply", seat, action) or ("leave", seat, index of the reason)


def walk(plan: Plan, *, log: list[Event] | None = None) -> Iterator[tuple[State, Dice, Step]]:
    """Yield every state of the game in which a decision is due, with the next step.

    The state is the live one: examine it before advancing the iterator.
    """
    random = Random(plan.number)
    dice = SeedDice(seed_of(plan.number))
    state = plan.deal(dice, log)
    while not state.is_over:
        step = next_step(state, random.random, plan.faults)
        yield state, dice, step
        do(state, step, dice)


def next_step(state: State, random: Callable[[], float], faults: float) -> Step:
    """Return a random legal action of the actor, or occasionally its leaving."""
    if faults and random() < faults:
        return "leave", state.actor, int(random() * len(FAULTS))
    return "apply", state.actor, state.random_action(random)


def do(state: State, step: Step, dice: Dice) -> None:
    """Take this step."""
    what, seat, number = step
    if what == "leave":
        state.leave(seat, FAULTS[number], "as planned", dice)
    else:
        state.apply(number, dice)


def random_game(rules: Rules, number: int) -> list[Event]:
    """Return the log of a game of random play."""
    random = Random(number)
    dice = SeedDice(seed_of(number))
    log: list[Event] = []
    state = new_game(rules, dice, log)
    while not state.is_over:
        state.apply(state.random_action(random.random), dice)
    return log


# ---- steered games ------------------------------------------------------------------------------

Choose = Callable[[list[int], Random], int]


def drawing(actions: list[int], random: Random) -> int:
    """Draw cards, preferably blind; choose another action only if there are no cards to draw."""
    if BLIND in actions and random.random() < 0.6:
        return BLIND
    cards = [action for action in actions if action < OFFER]
    return random.choice(cards or actions)


def building(actions: list[int], random: Random) -> int:
    """Draw cards and claim routes."""
    routes = [action for action in actions if action >= FIRST_CLAIM]
    return random.choice(routes) if routes and random.random() < 0.5 else drawing(actions, random)


def collecting(actions: list[int], random: Random) -> int:
    """Mostly draw contracts."""
    return OFFER if OFFER in actions and random.random() < 0.7 else drawing(actions, random)


def openings(
    rules: Rules, choose: Choose, most: int, games: int = 10
) -> Iterator[tuple[State, list[Event], int]]:
    """Yield positions up to `most` steps into games, with their log and the observing seat."""
    for number in range(games):
        random = Random(number)
        dice = SeedDice(seed_of(number))
        log: list[Event] = []
        state = new_game(rules, dice, log)
        for _ in range(random.randrange(rules.seats, most)):
            if not state.is_over:
                state.apply(choose(state.legal_actions(), random), dice)
        if not state.is_over:
            yield state, log, random.randrange(rules.seats)


# ---- strategies ---------------------------------------------------------------------------------


@st.composite
def options(draw: Any, seats: int) -> dict[str, str]:
    """Draw any values of the options that may differ in one game."""
    chosen = {}
    for name, values in CHOICES.items():
        possible = [*values, "25", "70"] if name == "turn_limit" else list(values)
        if name == "first_player":
            possible = [v for v in possible if not v.startswith("seat") or int(v[-1]) < seats]
        if draw(st.booleans()):
            chosen[name] = draw(st.sampled_from(possible))
    if chosen.get("pass") == "voluntary":
        chosen.setdefault("turn_limit", "70")
    return chosen


@st.composite
def plans(draw: Any, *, faults: bool = True, defaults: bool = False) -> Plan:
    """Draw games of random play on three boards, with any options and occasionally a leaver."""
    seats = draw(st.sampled_from([2, 3, 4]))
    return Plan(
        board=draw(st.sampled_from(sorted(BOARDS))),
        seats=seats,
        options={} if defaults else draw(options(seats)),
        number=draw(st.integers(0, 2**32 - 1)),
        faults=draw(st.sampled_from([0.0, 0.02])) if faults else 0.0,
    )


def board_of(plan: Plan) -> Board:
    """Return the board of a plan."""
    return BOARDS[plan.board]
