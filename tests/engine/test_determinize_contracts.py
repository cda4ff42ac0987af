"""`determinize`: contracts, including those passed between hands, and the unseen set-up."""

from __future__ import annotations

from random import Random

import pytest

from contract_worlds import ContractState, as_states, contract_worlds
from damrak_engine.actions import BLIND, KEEP_BOTH, KEEP_FIRST
from damrak_engine.board import Board
from damrak_engine.determinize import determinize
from damrak_engine.events import Event, seen_by
from damrak_engine.observation import observe
from damrak_engine.options import parse_options
from damrak_engine.position import SETUP
from damrak_engine.rules import rules_for
from damrak_engine.state import State, rollout
from oracle import check_conserved
from positions import SMALL, deal, leave, offer, play, small_board
from strategies import collecting, openings
from worlds import assert_drawn_from, sampled


def few_contracts(number: int) -> Board:
    return small_board(players=[2, number // 2], contracts=SMALL["contracts"][:number])


def contracts_of(state: State) -> ContractState:
    return state.contracts, state.offers, state.returned


def assert_contracts_fit(state: State, log: list[Event], seat: int, most: int = 1000) -> None:
    worlds = contract_worlds(state.rules, [seen_by(event, seat) for event in log])
    if len(worlds) <= most:
        chances = as_states(worlds)
        assert contracts_of(state) in chances
        assert_drawn_from(chances, sampled(state, seat, contracts_of))


@pytest.mark.parametrize(("seats", "contracts"), [(2, 5), (2, 6), (3, 6), (3, 7)])
@pytest.mark.parametrize(
    "options",
    [{}, {"returned_order": "shuffled"}, {"initial_choice": "in_turn_order"}],
    ids=lambda options: ",".join(options.values()) or "defaults",
)
def test_contracts(seats: int, contracts: int, options: dict[str, str]) -> None:
    rules = rules_for(few_contracts(contracts), seats, parse_options(dict(options)))
    for state, log, seat in openings(rules, collecting, 26):
        if state.phase != SETUP:
            assert_contracts_fit(state, log, seat, most=150)


def test_contract_that_the_seat_put_back_and_another_drew() -> None:
    state = deal(3, board=few_contracts(6), contracts=range(6))
    for answer in (KEEP_FIRST, KEEP_FIRST, KEEP_BOTH):
        play(state, answer)
    assert state.returned == (3, 4)
    play(state, BLIND)
    play(state, BLIND)
    # Seat 1 draws the contracts that seat 0 and itself returned, and keeps one of them.
    offer(state)
    play(state, KEEP_FIRST)
    has_it = sampled(state, 0, lambda drawn: drawn.contracts[1] >> 3 & 1, 2000)
    assert abs(has_it[1] - 1000) < 130
    for seat in range(3):
        assert_contracts_fit(state, state.log or [], seat)


def test_contract_that_came_back_to_the_seat() -> None:
    state = deal(2, board=few_contracts(4), contracts=range(4))
    for answer in (KEEP_FIRST, KEEP_FIRST):
        play(state, answer)
    offer(state)  # seat 0 draws 2, its own, and 3, which seat 1 returned: so seat 1 holds 1
    assert state.offers[0] == (2, 3)
    assert set(sampled(state, 0, contracts_of, 50)) == {contracts_of(state)}


@pytest.mark.parametrize("choosing", [False, True])
def test_contracts_of_a_leaver(choosing: bool) -> None:
    state = deal(3, board=few_contracts(7), contracts=range(6))
    for answer in (KEEP_FIRST, KEEP_FIRST, KEEP_BOTH):
        play(state, answer)
    if choosing:
        offer(state, 6)
    leave(state, 0)
    assert state.returned == ((4, 6, 3) if choosing else (3, 4))
    for seat in range(3):
        assert_contracts_fit(state, state.log or [], seat)


# ---- the set-up --------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "leavers"), [(2, 0), (3, 0), (3, 1), (4, 0), (4, 1), (4, 2)])
def test_set_up_with_leavers(seats: int, leavers: int) -> None:
    for first in range(seats):
        state = deal(seats, first=first)
        for i in range(seats - 1):
            leave(state, state.actor) if i < leavers else play(state, KEEP_FIRST + i % 3)
            for seat in range(seats):
                seen = observe(state, seat)
                for number in range(20):
                    drawn = determinize(seen, Random(number))
                    assert observe(drawn, seat) == seen
                    check_conserved(drawn)
                    assert not drawn.gone >> drawn.actor & 1
                    rollout(drawn, Random(number).random)


def test_set_up_true_state_is_among_those_drawn() -> None:
    state = deal(3, board=few_contracts(6), contracts=range(6))
    for answer in (KEEP_FIRST, KEEP_BOTH):
        true = state.copy()
        for seat in range(3):
            chosen = not true.offers[seat]
            if chosen or seat == true.actor:
                sample = sampled(true, seat, lambda drawn: (drawn.actor, contracts_of(drawn)))
                assert sample[true.actor, contracts_of(true)]
        play(state, answer)


def test_set_up_choices_of_earlier_seats_are_equally_likely() -> None:
    state = deal(2, contracts=range(4))
    play(state, KEEP_FIRST)
    sample = sampled(state, 1, lambda drawn: drawn.contracts[0].bit_count())
    assert set(sample) == {1, 2}
    assert abs(sample[1] - 800) < 6 * (1200 * 2 / 9) ** 0.5


def test_set_up_a_leaver_shows_who_has_chosen() -> None:
    state = deal(4)
    play(state, KEEP_FIRST)
    play(state, KEEP_FIRST)
    leave(state, 2)
    for number in range(50):
        assert determinize(observe(state, 0), Random(number)).actor == 3
