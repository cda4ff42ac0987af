"""A refused action comes with a reason in words for the bot's author."""

from __future__ import annotations

import pytest

from damrak_engine.actions import BLIND, KEEP_BOTH, KEEP_FIRST, KEEP_SECOND, OFFER, PASS, TAKE
from damrak_engine.errors import IllegalAction
from damrak_engine.state import State
from positions import blind, deal, finish, give_routes, offer, payment, play, position

BLUE_3, GREY_4 = 3, 4


def owned_by_another() -> State:
    state = position(hands=["blue blue blue"])
    give_routes(state, 1, BLUE_3)
    return state


def after_a_first_card() -> State:
    state = position(row="wild blue green black red")
    blind(state, "red")
    return state


def choosing(*undrawn: int) -> State:
    state = position(undrawn=undrawn)
    offer(state)
    return state


BLUE = payment(position(), BLUE_3, "blue")
GREY = payment(position(), GREY_4, "red")


@pytest.mark.parametrize(
    ("state", "action", "reason"),
    [
        (position(), -1, "this board has the actions 0 to 314"),
        (position(), 10**6, "this board has the actions 0 to 314"),
        (finish(position()), BLIND, "the game is over"),
        (finish(position()), 10**6, "this board has the actions"),
        (deal(), BLIND, "cannot draw blind: choose among the contracts on offer"),
        (choosing(4, 5), PASS, "cannot pass: choose among the contracts on offer"),
        (choosing(4), KEEP_BOTH, "cannot keep both contracts: choose among"),
        (choosing(4), KEEP_SECOND, "cannot keep the second contract: choose among"),
        (after_a_first_card(), TAKE, "a second card must be drawn, no wild from the row"),
        (after_a_first_card(), OFFER, "cannot draw contracts: a second card must be drawn"),
        (position(), PASS, "cannot pass now"),
        (position(), KEEP_FIRST, "cannot keep the first contract now"),
        (position(undrawn=[]), OFFER, "cannot draw contracts now"),
        (owned_by_another(), BLUE, "the route is not open to seat 0"),
        (position(hands=["blue blue blue"], carts=[2]), BLUE, "only 2 carts left"),
        (position(hands=["red red red red"], carts=[3]), GREY, "only 3 carts left"),
        (position(hands=["blue blue"], carts=[3]), BLUE, "the hand does not hold these cards"),
    ],
)
def test_refusal_states_the_reason(state: State, action: int, reason: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        play(state, action)
    assert reason in refused.value.reason
    assert refused.value.action == action
    assert str(action) in str(refused.value)
