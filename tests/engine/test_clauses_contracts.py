"""R39 to R43: drawing, keeping and returning contracts."""

from __future__ import annotations

from random import Random

import pytest

from damrak_engine.actions import KEEP_BOTH, KEEP_FIRST, KEEP_SECOND, OFFER, PASS
from damrak_engine.cards import counts
from damrak_engine.dice import QuickDice
from damrak_engine.errors import IllegalAction
from damrak_engine.events import Keep, Offer, seen_by
from damrak_engine.observation import observe
from damrak_engine.scoring import result
from damrak_engine.state import State
from positions import deal, finish, give_routes, offer, play, position

TABLES = pytest.mark.parametrize("seats", [2, 3, 4])


def held(state: State, seat: int) -> set[int]:
    """Return the contracts that a seat has kept."""
    return {i for i in range(60) if state.contracts[seat] >> i & 1}


@pytest.mark.parametrize(
    ("answer", "kept", "rejected"),
    [(KEEP_FIRST, {7}, (3,)), (KEEP_SECOND, {3}, (7,)), (KEEP_BOTH, {7, 3}, ())],
)
def test_r39_contracts_draw_two(answer: int, kept: set[int], rejected: tuple[int, ...]) -> None:
    state = position(contracts=[[0]], returned=[20])
    event = offer(state, 7, 3)[0]
    assert isinstance(event, Offer)
    assert event.contracts == (7, 3)
    assert state.legal_actions() == [KEEP_FIRST, KEEP_SECOND, KEEP_BOTH]
    play(state, answer)
    assert held(state, 0) == {0} | kept
    assert state.returned == (20, *rejected)
    assert not state.undrawn >> 7 & 1
    assert state.actor == 1


def test_r39_contracts_draw_two_across_the_two_parts_of_the_pile() -> None:
    state = position(undrawn=[9], returned=[20, 21])
    event = offer(state)[0]
    assert isinstance(event, Offer)
    assert event.contracts == (9, 20)
    play(state, KEEP_FIRST)
    assert state.returned == (21, 20)


@pytest.mark.parametrize("lying", ["undrawn", "returned"])
def test_r40_contracts_last_one(lying: str) -> None:
    state = position(
        undrawn=[9] if lying == "undrawn" else [], returned=[] if lying == "undrawn" else [9]
    )
    assert OFFER in state.legal_actions()
    event = offer(state)[0]
    assert isinstance(event, Offer)
    assert event.contracts == (9,)
    assert state.legal_actions() == [KEEP_FIRST]
    for refused in (KEEP_SECOND, KEEP_BOTH, PASS):
        with pytest.raises(IllegalAction):
            play(state, refused)
    play(state, KEEP_FIRST)
    assert held(state, 0) == {9}
    assert (state.returned, state.undrawn) == ((), 0)


def test_r41_contracts_permanent() -> None:
    state = position(contracts=[range(20)], undrawn=[20, 21, 22, 23])
    offer(state, 20, 22)
    play(state, KEEP_BOTH)
    assert held(state, 0) == {*range(20), 20, 22}


@TABLES
def test_r41_contracts_permanent_all_game(seats: int) -> None:
    random = Random(seats).random
    state = deal(seats)
    while not state.is_over:
        before = state.contracts
        state.apply(state.random_action(random), QuickDice(random))
        for had, has in zip(before, state.contracts, strict=True):
            assert had & has == had


def test_r41_contracts_permanent_even_all_of_them() -> None:
    state = position(contracts=[range(22)], undrawn=[22, 23])
    offer(state, 22, 23)
    play(state, KEEP_BOTH)
    assert held(state, 0) == set(range(24))


def test_r42_contracts_fulfilled() -> None:
    # Contract 1 joins Dam and De Drie Hendricken: via Jan Roodenpoortstoren and Westermarkt.
    chain = [30, 28, 24]
    for missing in chain:
        state = position(contracts=[[1]])
        give_routes(state, 0, *(route for route in chain if route != missing))
        assert result(finish(state)).seats[0].failed == (1,)
    state = position(contracts=[[1]])
    give_routes(state, 0, *chain)
    assert result(finish(state)).seats[0].fulfilled == (1,)


@TABLES
def test_r43_contracts_secret(seats: int) -> None:
    states = [position(seats, contracts=[[0], [1]]) for _ in range(2)]
    for state, ids in zip(states, ([5, 6], [8, 9]), strict=True):
        offer(state, *ids)
        play(state, KEEP_FIRST)
    logs = [[seen_by(event, 1) for event in state.log or []] for state in states]
    assert logs[0] == logs[1]
    shown_offer, shown_keep = logs[0]
    assert isinstance(shown_offer, Offer)
    assert isinstance(shown_keep, Keep)
    assert (shown_offer.contracts, shown_keep.contracts) == ((None, None), (None,))
    for seat in range(1, seats):
        assert observe(states[0], seat) == observe(states[1], seat)
        assert observe(states[0], seat).contract_counts[:2] == (2, 1)
    assert observe(states[0], 0) != observe(states[1], 0)


def test_r43_contracts_secret_fulfilled_or_not() -> None:
    states = [position(contracts=[[], ids], undrawn=[2, 3]) for ids in ([1], [0])]
    for state in states:
        give_routes(state, 1, 30, 28, 24)
    assert observe(states[0], 0) == observe(states[1], 0)


def test_r43_own_contracts_are_known_to_their_owner() -> None:
    state = deal(contracts=[4, 5, 6, 7])
    assert observe(state, 1).offer == (5, 7)
    play(state, KEEP_FIRST)
    play(state, KEEP_SECOND)
    assert observe(state, 1).contracts == 1 << 7
    assert observe(state, 0).contracts == 1 << 4


def test_drawing_contracts_leaves_the_cards_alone() -> None:
    state = position(discards="red")
    before = (list(state.pile), state.row[:], counts(state.discards))
    offer(state, 2, 3)
    play(state, KEEP_FIRST)
    assert (list(state.pile), state.row[:], counts(state.discards)) == before
