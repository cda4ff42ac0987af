"""`determinize`: its draws are consistent, and every hand has the right probability.

Tiny tables are compared with `worlds`, which enumerates all hidden positions; on large ones the
properties that follow from the rules are checked.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, strategies as st

from damrak_engine.actions import BLIND, OFFER
from damrak_engine.cards import NO_CARD, ONE, WILD, counts, size, without
from damrak_engine.deal import new_game
from damrak_engine.determinize import determinize
from damrak_engine.dice import SeedDice
from damrak_engine.events import Blind, Event, Reshuffle, seen_by
from damrak_engine.hoards import RESHUFFLED
from damrak_engine.observation import observe
from damrak_engine.options import parse_options
from damrak_engine.rules import Rules, rules_for
from damrak_engine.state import State, rollout
from damrak_engine.supply import flush
from oracle import check_conserved, check_knowledge, held
from positions import AMSTERDAM, blind, in_play, leave, small_board, take
from samples import examples
from strategies import Choose, Plan, building, drawing, openings, plans, seed_of, walk
from worlds import CardWorlds, assert_drawn_from, sampled

# ---- properties on any table ---------------------------------------------------------------------


@examples(150)
@given(plans(), st.integers(0, 2**32))
def test_drawn_state_looks_the_same_to_the_seat(plan: Plan, number: int) -> None:
    random = Random(number)
    for state, _, _ in walk(plan):
        if random.random() < 0.2:
            for seat in range(plan.seats):
                seen = observe(state, seat)
                drawn = determinize(seen, random)
                assert observe(drawn, seat) == seen
                check_drawn(state, drawn, seat)
                other = observe(drawn, random.randrange(plan.seats))
                assert observe(determinize(other, random), other.seat) == other


def check_drawn(true: State, drawn: State, seat: int) -> None:
    check_conserved(drawn)
    check_knowledge(drawn)
    assert drawn.log is None
    assert drawn.hands[seat] == true.hands[seat]
    assert drawn.contracts[seat] == true.contracts[seat]
    assert drawn.offers[seat] == true.offers[seat]
    assert not drawn.gone >> drawn.actor & 1
    if true.actor == seat:
        assert drawn.actor == seat
        assert drawn.legal_actions() == true.legal_actions()
    assert len(drawn.legal_for(seat)) == len(true.legal_for(seat))
    if true.rules.flush_limit < 0 and true.row.count(WILD) >= 3 and NO_CARD not in true.row:
        plain = sum(drawn.pile[:WILD]) + sum(counts(drawn.discards)[:WILD])
        assert plain + sum(card < WILD for card in drawn.row) < 3, "it would have been flushed"


@examples(80)
@given(plans(), st.integers(0, 2**32))
def test_drawn_state_can_be_played_to_the_end(plan: Plan, number: int) -> None:
    random = Random(number)
    for state, _, _ in walk(plan):
        if random.random() < 0.05:
            drawn = determinize(observe(state, random.randrange(plan.seats)), random)
            rollout(drawn, random.random)
            check_conserved(drawn)
            assert drawn.is_over


@examples(80)
@given(plans(), st.integers(0, 2**32))
def test_it_works_in_a_finished_game(plan: Plan, number: int) -> None:
    *_, (state, _, _) = walk(plan)
    assert state.is_over
    for seat in range(plan.seats):
        seen = observe(state, seat)
        drawn = determinize(seen, Random(number))
        assert observe(drawn, seat) == seen
        assert (drawn.legal_actions(), drawn.owing()) == ([], [])
        check_conserved(drawn)


@examples(80)
@given(plans())
def test_the_true_hands_satisfy_the_constraints_of_drawn_ones(plan: Plan) -> None:
    for number, (state, _, _) in enumerate(walk(plan)):
        for seat in range(plan.seats if number % 4 == 0 else 0):
            seen = observe(state, seat)
            hidden = 0
            for other in range(plan.seats):
                if other != seat:
                    assert without(seen.known[other], state.hands[other]) == 0
                    hidden += state.hands[other] - seen.known[other]
            assert without(seen.floor, hidden) == 0
            check_drawn(state, state.copy(), seat)


def played_out(rules: Rules, number: int) -> tuple[State, list[Event]]:
    """Return a game of random play and its log."""
    random = Random(number)
    dice = SeedDice(seed_of(number))
    log: list[Event] = []
    state = new_game(rules, dice, log)
    while not state.is_over:
        state.apply(state.random_action(random.random), dice)
    return state, log


# ---- cards on tiny tables ------------------------------------------------------------------------


def tiny(seats: int, cards: int, wilds: int, **options: object) -> Rules:
    board = small_board(players=[seats, seats], cards_per_colour=cards, wild_cards=wilds)
    return rules_for(board, seats, parse_options(options))


def card_chances(
    state: State, log: list[Event], seat: int, look: Callable[[tuple[int, ...]], object]
) -> dict[object, Fraction]:
    """Return the probabilities of the values of `look` over possible hands."""
    chances: dict[object, Fraction] = {}
    worlds = CardWorlds(state.rules, seat).hear([seen_by(event, seat) for event in log])
    for (hands, _), chance in worlds.items():
        chances[look(hands)] = chances.get(look(hands), Fraction(0)) + chance
    return chances


def assert_hands_fit(
    state: State,
    log: list[Event],
    seat: int,
    look: Callable[[tuple[int, ...]], object] = lambda hands: hands,
) -> None:
    chances = card_chances(state, log, seat, look)
    assert look(tuple(state.hands)) in chances
    assert_drawn_from(chances, sampled(state, seat, lambda drawn: look(tuple(drawn.hands))))


@pytest.mark.parametrize(("cards", "wilds"), [(1, 4), (1, 6), (2, 4)])
@pytest.mark.parametrize("choose", [drawing, building])
def test_cards_of_two_seats(cards: int, wilds: int, choose: Choose) -> None:
    for state, log, seat in openings(tiny(2, cards, wilds), choose, 16):
        assert_hands_fit(state, log, seat)


@pytest.mark.parametrize("choose", [drawing, building])
def test_cards_of_three_seats_before_a_reshuffle(choose: Choose) -> None:
    games = [game for game in openings(tiny(3, 2, 5), choose, 10) if not game[0].floor]
    assert len(games) > 5
    for state, log, seat in games:
        assert_hands_fit(state, log, seat)


def after_a_reshuffle(seats: int) -> tuple[State, list[Event]]:
    """Return a game after a reshuffle of discards, from which seat 1 has drawn a blind card.

    Some of the discards are equal to cards that seat 1 holds.
    """
    rules = tiny(seats, 2, 5)
    for number in range(400):
        random = Random(number)
        dice = SeedDice(seed_of(number))
        log: list[Event] = []
        state = new_game(rules, dice, log)
        while not state.is_over and not state.floor:
            state.apply(building(state.legal_actions(), random), dice)
        while state.actor not in (1, -1) and state.legal_actions()[1] < OFFER:
            state.apply(state.legal_actions()[1], dice)
        alike = state.floor and any(map(min, counts(state.floor[0]), state.pile))
        if state.actor == 1 and state.pile_size > 2 and alike:
            state.apply(BLIND, dice)
            return state, log
    raise AssertionError("no such game")


def test_cards_known_from_a_reshuffle_say_nothing_of_later_ones() -> None:
    state, log = after_a_reshuffle(2)
    assert size(state.floor[0]) == size(state.hands[1]) - size(state.known[1]) - 1
    assert_hands_fit(state, log, 0)


def test_cards_of_the_others_together_after_a_reshuffle() -> None:
    games = [game for game in openings(tiny(3, 2, 4), drawing, 14, 20) if game[0].floor]
    assert games
    for state, log, seat in games:
        assert_hands_fit(state, log, seat, sum)


def test_cards_of_each_of_three_seats_after_a_reshuffle() -> None:
    state, log = after_a_reshuffle(3)
    assert_hands_fit(state, log, 0)


@pytest.mark.parametrize(("seats", "cards", "wilds"), [(3, 2, 4), (3, 2, 5), (4, 2, 4)])
@pytest.mark.parametrize("choose", [drawing, building])
def test_old_and_new_cards_of_each_hand(seats: int, cards: int, wilds: int, choose: Choose) -> None:
    tested = 0
    for state, log, seat in openings(tiny(seats, cards, wilds), choose, 24, 30):
        if any(isinstance(event, Reshuffle) for event in log):
            assert_hands_fit(state, log, seat)
            tested += 1
    assert tested > 3


def test_a_row_of_wilds_excludes_cards_outside_the_hands() -> None:
    state = in_play(
        hands=["pink"],
        row="wild wild wild wild pink",
        pile="wild black",
        rest=1,
        board=small_board(cards_per_colour=2, wild_cards=5),
    )
    flush(state, SeedDice(seed_of(0)))
    piles = sampled(state, 0, lambda drawn: (sum(drawn.pile[:WILD]), drawn.pile[WILD]))
    assert set(piles) == {(1, 1)}, "of the last wild and nine others, one of each"


def test_hands_keep_what_was_taken_from_the_row() -> None:
    state = in_play(3, hands=["red", "blue", "red"])
    take(state, 0)
    blind(state, "orange")
    take(state, 1)
    blind(state, "wild")
    for drawn in (determinize(observe(state, 2), Random(number)) for number in range(50)):
        assert held(drawn.hands[0])["pink"] >= 1
        assert held(drawn.hands[1])["blue"] >= 1


def lying(state: State) -> bool:
    """Return whether wilds were left in the row while the pile had cards, and this is recorded."""
    return any(pile and plain != RESHUFFLED for *_, pile, plain in state.hoards)


def hungry(actions: list[int], random: Random) -> int:
    """Draw cards until hardly any are left, and then claim routes as well."""
    return building(actions, random) if random.random() < 0.3 else drawing(actions, random)


@pytest.mark.parametrize(("seats", "wilds", "games"), [(2, 8, 600), (3, 8, 60), (4, 9, 60)])
def test_wilds_left_in_the_row_are_recorded(seats: int, wilds: int, games: int) -> None:
    rules = tiny(seats, 1, wilds)
    found = [game for game in openings(rules, hungry, 24, games) if lying(game[0])]
    assert len(found) >= 3
    for state, log, seat in found[:8]:
        assert_hands_fit(state, log, seat)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_hidden_hand_sizes_are_counted(seats: int) -> None:
    tested = 0
    for state, log, seat in openings(
        tiny(seats, 2, 4, hand_size_public="no"), building, 30, 20 - 4 * seats
    ):
        assert observe(state, seat).hand_sizes is None
        tested += any(isinstance(event, Reshuffle) for event in log)
        assert_hands_fit(state, log, seat)
    assert tested


@pytest.mark.parametrize("seats", [3, 4])
def test_no_reshuffle_is_forgotten(seats: int) -> None:
    most = 0
    for number in range(150):
        state, log = played_out(rules_for(AMSTERDAM, seats), number)
        lots: list[tuple[int, ...]] = []
        received = [0] * seats  # since the last reshuffle
        for event in log:
            if isinstance(event, Blind):
                assert event.card is not None
                received[event.seat] += ONE[event.card]
            elif isinstance(event, Reshuffle):
                if any(received):
                    lots.append(tuple(received))
                received = [0] * seats
        noted = [tuple(hoards) for *hoards, _, plain in state.hoards if plain == RESHUFFLED]
        # An event while no seat held an unseen card is not evidence.
        assert len(noted) >= len(lots) - 1
        assert noted[1:] == lots[len(lots) - max(len(noted) - 1, 0) :]
        most = max(most, len(noted))
    assert most >= seats


def test_hidden_hand_sizes_give_nothing_to_leavers() -> None:
    state = in_play(4, hands=["red", "blue", "red"], options={"hand_size_public": "no"})
    leave(state, 0)
    for drawn in (determinize(observe(state, 1), Random(number)) for number in range(50)):
        assert drawn.hands[0] == 0
        check_conserved(drawn)
