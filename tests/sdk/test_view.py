"""The helpers of a view, compared with the state behind it and with brute force."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, strategies as st

from damrak import ClaimRoute, DrawBlind, TakeCard, View
from damrak.network import Network, cards_missing
from damrak_engine import scoring
from damrak_engine.actions import FIRST_CLAIM
from damrak_engine.board import Board, Route
from damrak_engine.cards import CARDS, COLOURS, WILD, count, counts, unpacked
from damrak_engine.clock import TimeLeft
from damrak_engine.deal import new_game
from damrak_engine.dice import SeedDice
from damrak_engine.observation import observe
from damrak_engine.position import SETUP
from damrak_engine.state import State
from positions import AMSTERDAM, game_rules
from samples import examples
from strategies import SMALL_BOARD, Plan, plans, walk

LEFT = TimeLeft(10_000_000, 60_000_000)


def view_of(state: State, seat: int | None = None) -> View:
    seat = state.actor if seat is None else seat
    return View(observe(state, seat), state.legal_for(seat), (), LEFT)


def states(plan: Plan, every: int = 7) -> Iterator[State]:
    for number, (state, _, _) in enumerate(walk(plan)):
        if number % every == 0:
            yield state


def joined(board: Board, routes: list[Route], a: int, b: int) -> bool:
    """Return whether these routes connect two locations, by a graph search."""
    reached, grows = {a}, True
    while grows:
        more = {r.a + r.b - end for r in routes for end in (r.a, r.b) if end in reached}
        grows = not more <= reached
        reached |= more
    return b in reached


# ---- cards -------------------------------------------------------------------------------------


@examples(40)
@given(plans(faults=False))
def test_unseen_cards_are_in_the_pile_or_hidden_in_other_hands(plan: Plan) -> None:
    for state in states(plan):
        view = view_of(state)
        hidden = [state.hands[i] - state.known[i] for i in range(plan.seats) if i != view.seat]
        for card in CARDS:
            there = state.pile[card] + sum(count(hand, card) for hand in hidden)
            assert view.unseen[card] == there


@examples(40)
@given(plans())
def test_hand_row_and_discards_are_those_of_the_state(plan: Plan) -> None:
    for state in states(plan):
        view = view_of(state)
        assert list(view.hand.values()) == list(counts(state.hands[state.actor]))
        assert list(view.discards.values()) == list(counts(state.discards))
        assert [7 if card is None else card for card in view.row] == state.row


@examples(40)
@given(plans())
def test_blind_odds_sum_to_one_if_there_is_a_card_to_draw(plan: Plan) -> None:
    for state in states(plan):
        odds = view_of(state).blind_odds
        possible = state.pile_size > 0 or state.discards > 0
        assert sum(odds.values()) == pytest.approx(1.0 if possible else 0.0)
        assert all(0 <= chance <= 1 for chance in odds.values())
        if state.pile_size:
            assert all(odds[card] > 0 for card in CARDS if state.pile[card])


# ---- actions and routes ------------------------------------------------------------------------


@examples(40)
@given(plans())
def test_actions_are_the_legal_ids_in_words_and_back(plan: Plan) -> None:
    for state in states(plan):
        view = view_of(state)
        assert [view.id_of(action) for action in view.actions] == view.legal
        assert [view.id_of(action) for action in view.legal] == view.legal


@pytest.mark.parametrize("answer", [-1, 10**6, True, None, "claim", 1.0, TakeCard(5), [0]])
def test_invalid_action_of_the_board_is_named(answer: object) -> None:
    view = view_of(new_game(game_rules(), SeedDice(bytes(32))))
    with pytest.raises(ValueError, match="is no action on the board amsterdam"):
        view.id_of(answer)  # type: ignore[arg-type]


@examples(40)
@given(plans())
def test_open_routes_are_those_free_not_shut_and_within_the_carts(plan: Plan) -> None:
    for state in states(plan):
        view = view_of(state)
        seat, board = state.actor, state.rules.board
        owner = {i: s for s in range(plan.seats) for i in range(200) if state.owned[s] >> i & 1}
        expected = []
        for route in board.routes:
            twin_owner = None if route.twin is None else owner.get(route.twin)
            shut = twin_owner is not None and (
                twin_owner == seat or not state.rules.twins_stay_open
            )
            if route.id not in owner and not shut and route.length <= state.carts[seat]:
                expected.append(route)
        assert list(view.open_routes) == expected


@examples(40)
@given(plans())
def test_affordable_routes_are_the_legal_claims_at_their_cheapest(plan: Plan) -> None:
    for state in states(plan):
        view = view_of(state)
        claims = [action for action in view.actions if isinstance(action, ClaimRoute)]
        assert [it.route.id for it in view.affordable] == sorted({it.route for it in claims})
        for it in view.affordable:
            others = [claim for claim in claims if claim.route == it.route.id]
            assert it.payment in others
            assert it.action == view.id_of(it.payment)
            assert it.payment.wilds == min(claim.wilds for claim in others)
            assert it.points == view.board.route_points[it.route.length]


def pays(route: Route, left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the hands that are left after every payment for a route."""
    for colour in range(COLOURS) if route.is_grey else [route.colour]:
        for wilds in range(route.length + 1):
            rest = list(left)
            rest[colour] -= route.length - wilds
            rest[WILD] -= wilds
            if min(rest) >= 0:
                yield tuple(rest)


def fewest_missing(routes: list[Route], hand: tuple[int, ...]) -> int:
    """Return the fewest wilds that the hand lacks to pay for all the routes, by trying."""
    for extra in itertools.count():
        left = {(*hand[:WILD], hand[WILD] + extra)}
        for route in routes:
            left = {rest for before in left for rest in pays(route, before)}
        if left:
            return extra
    raise AssertionError


@examples(60)
@given(
    st.lists(st.sampled_from(AMSTERDAM.routes), max_size=4, unique=True),
    st.tuples(*[st.integers(0, 3)] * 7),
)
def test_missing_cards_are_the_fewest_wilds_that_would_do(
    routes: list[Route], hand: tuple[int, ...]
) -> None:
    assert cards_missing(routes, hand) == fewest_missing(routes, hand)


# ---- networks ----------------------------------------------------------------------------------


@given(st.integers(0, (1 << len(AMSTERDAM.routes)) - 1), st.integers(0, 16), st.integers(0, 16))
def test_a_network_connects_reachable_locations(owned: int, a: int, b: int) -> None:
    network = Network(AMSTERDAM, owned)
    assert network.connected(a, b) == joined(AMSTERDAM, list(network.routes), a, b)


@given(st.integers(0, (1 << len(AMSTERDAM.routes)) - 1))
def test_groups_partition_the_reached_locations(owned: int) -> None:
    network = Network(AMSTERDAM, owned)
    assert sorted(itertools.chain(*network.groups)) == sorted(network.reached)
    for a, b in itertools.combinations(sorted(network.reached), 2):
        together = any(a in group and b in group for group in network.groups)
        assert network.connected(a, b) == together


@given(
    st.sets(st.sampled_from(SMALL_BOARD.routes)),
    st.sets(st.sampled_from(SMALL_BOARD.routes)),
    st.integers(0, 5),
    st.integers(0, 5),
)
def test_no_set_of_open_routes_joins_with_fewer_spaces_than_the_path(
    mine: set[Route], free: set[Route], a: int, b: int
) -> None:
    free -= mine
    network = Network(SMALL_BOARD, sum(1 << route.id for route in mine))
    sets = itertools.chain.from_iterable(
        itertools.combinations(free, n) for n in range(len(free) + 1)
    )
    joining = [chosen for chosen in sets if joined(SMALL_BOARD, [*mine, *chosen], a, b)]
    path = network.path(a, b, free)
    if path is None:
        assert not joining
    else:
        assert set(path.routes) <= free
        assert joined(SMALL_BOARD, [*mine, *path.routes], a, b)
        assert path.spaces == min(sum(r.length for r in chosen) for chosen in joining)


# ---- contracts, goods, opponents -----------------------------------------------------------------


@examples(30)
@given(plans())
def test_fulfilled_contracts_match_the_final_scoring(plan: Plan) -> None:
    for state in states(plan):
        view = view_of(state)
        board, seat = state.rules.board, state.actor
        fulfilled, failed = scoring.split_contracts(board, state.owned[seat], state.contracts[seat])
        assert tuple(it.contract.id for it in view.contracts if it.fulfilled) == fulfilled
        assert tuple(it.contract.id for it in view.contracts if not it.fulfilled) == failed
        assert tuple(it.contract.id for it in view.offer) == state.offers[seat]
        for it in view.contracts:
            if it.path is not None:
                assert it.path.spaces <= view.carts
                assert it.cards <= it.path.spaces


@examples(30)
@given(plans(defaults=True))
def test_the_goods_bonus_is_that_of_the_scoring(plan: Plan) -> None:
    for state in states(plan):
        bonus = state.rules.board.goods_bonus[plan.seats]
        assert list(view_of(state).goods_bonus) == scoring.goods_points(state.goods, bonus)


@examples(30)
@given(plans())
def test_opponents_are_the_public_facts_of_the_other_seats(plan: Plan) -> None:
    for state in states(plan):
        view = view_of(state)
        assert [it.seat for it in view.opponents] == [
            (state.actor + i) % plan.seats for i in range(1, plan.seats)
        ]
        public = state.rules.options.hand_size_public == "yes"
        for it in view.opponents:
            hand = state.hands[it.seat]
            assert (it.carts, it.points, it.goods) == (
                state.carts[it.seat],
                state.points[it.seat],
                state.goods[it.seat],
            )
            assert it.hand_size == (len(unpacked(hand)) if public else None)
            assert list(it.known.values()) == list(counts(state.known[it.seat]))
            assert all(it.known[card] <= count(hand, card) for card in CARDS)
            assert sum(1 << r.id for r in it.network.routes) == state.owned[it.seat]
            assert it.has_left == bool(state.gone >> it.seat & 1)
            if state.phase != SETUP:
                assert it.contracts == state.contracts[it.seat].bit_count()


@examples(20)
@given(plans(faults=False), st.integers(0, 10))
def test_equal_views_answer_alike_and_a_determinized_state_looks_the_same(
    plan: Plan, number: int
) -> None:
    for state in states(plan, every=20):
        first, second = view_of(state), view_of(state)
        one, two = first.determinize(), second.determinize()
        assert (one.hands, one.pile, one.contracts) == (two.hands, two.pile, two.contracts)
        drawn = first.determinize(Random(number))
        assert observe(drawn, state.actor) == first.observation


def test_a_last_round_is_seen_and_a_second_card_too() -> None:
    plan = Plan(number=1)
    last, second = [], []
    for state, _, _ in walk(plan):
        view = view_of(state)
        last.append(view.is_last_round)
        second.append(view.is_second_card)
        if view.is_second_card:
            assert {DrawBlind, TakeCard} >= {type(action) for action in view.actions}
        assert view.is_offer == all(7 <= action <= 9 for action in view.legal)
        assert not view.is_second_card or all(action < FIRST_CLAIM for action in view.legal)
    assert last == sorted(last)
    assert any(last)
    assert any(second)


def test_repeated_attribute_is_computed_once() -> None:
    view = view_of(new_game(game_rules(), SeedDice(bytes(32))))
    for name in ("hand", "row", "unseen", "network", "open_routes", "affordable", "contracts"):
        assert getattr(view, name) is getattr(view, name)
