"""Plain forms are lossless, and `marshal` supports them."""

import marshal
import random

import pytest

from damrak.hosting.forms import (
    event_of,
    observation_of,
    plain_event,
    plain_observation,
    plain_result,
    result_of,
)
from damrak_engine import scoring
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.events import Event, seen_by
from damrak_engine.observation import observe
from damrak_engine.rules import rules_for
from damrak_engine.state import State
from sdk.hostile import BOARD


def _games(seats: int) -> list[tuple[list[State], list[Event]]]:
    """Return games of random play, as their positions and events."""
    games = []
    for number in range(3):
        log: list[Event] = []
        rng, dice = random.Random(number), SeedDice(bytes([number]) * 32)
        state = new_game(rules_for(BOARD, seats), dice, log)
        states = [state.copy()]
        while not state.is_over:
            if state.turns == 40 and state.seats_at_table() == seats:
                state.leave(state.actor, "crash", "", dice)
            else:
                state.apply(state.random_action(rng.random), dice)
            states.append(state.copy())
        games.append((states, log))
    return games


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_event_comes_back_as_any_seat_saw_it(seats: int) -> None:
    for _, log in _games(seats):
        for event in log:
            for seen in [event, *(seen_by(event, seat) for seat in range(seats))]:
                again = event_of(marshal.loads(marshal.dumps(plain_event(seen))))
                assert again == seen
                assert repr(again) == repr(seen)  # cards are cards again, and notes are present


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_observation_comes_back(seats: int) -> None:
    for states, _ in _games(seats):
        for state in states:
            for seat in range(seats):
                seen = observe(state, seat)
                plain = marshal.loads(marshal.dumps(plain_observation(seen)))
                assert observation_of(state.rules, plain) == seen


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_result_comes_back(seats: int) -> None:
    for states, _ in _games(seats):
        result = scoring.result(states[-1])
        assert result_of(marshal.loads(marshal.dumps(plain_result(result)))) == result
