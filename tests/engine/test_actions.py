"""Action ids: eleven fixed ones, then claims in order; each has a typed and a printed form."""

from __future__ import annotations

import pytest

from damrak_engine.actions import (
    ActionSpace,
    ClaimRoute,
    DrawBlind,
    DrawContracts,
    KeepContracts,
    PassTurn,
    TakeCard,
)
from damrak_engine.boards import board_names, load_board
from damrak_engine.rules import space_of
from positions import AMSTERDAM, game_rules, small_board

SPACE = space_of(AMSTERDAM)
BOARDS = pytest.mark.parametrize("space", [ActionSpace(load_board(name)) for name in board_names()])


def test_first_ids_are_the_same_everywhere() -> None:
    fixed = (
        DrawBlind(),
        *(TakeCard(slot) for slot in range(5)),
        DrawContracts(),
        KeepContracts(True, False),
        KeepContracts(False, True),
        KeepContracts(True, True),
        PassTurn(),
    )
    for board in (AMSTERDAM, small_board()):
        assert space_of(board).actions[:11] == fixed


@BOARDS
def test_ids_and_typed_forms_go_both_ways(space: ActionSpace) -> None:
    assert len(space) == len(set(space.actions))
    for action in range(len(space)):
        assert space.id_of(space.typed(action)) == action


@BOARDS
def test_claims_are_in_order(space: ActionSpace) -> None:
    keys = []
    for form in space.actions[11:]:
        assert isinstance(form, ClaimRoute)
        keys.append((form.route, 9 if form.colour is None else int(form.colour), form.wilds))
    assert keys == sorted(keys)


@BOARDS
def test_each_route_has_every_payment_once(space: ActionSpace) -> None:
    for route in space.board.routes:
        forms = [f for f in space.actions if isinstance(f, ClaimRoute) and f.route == route.id]
        colours = 6 if route.is_grey else 1
        assert len(forms) == colours * route.length + 1
        assert forms[-1] == ClaimRoute(route.id, None, route.length)


def test_unknown_typed_form_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        SPACE.id_of(ClaimRoute(0, None, 1))


def test_ids_depend_on_the_board_alone() -> None:
    spaces = {id(game_rules(seats, {"all_wild": "no"}).space) for seats in (2, 3, 4)}
    assert spaces == {id(SPACE)}


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (0, "draw blind"),
        (3, "take the card in slot 2"),
        (6, "draw contracts"),
        (7, "keep the first contract"),
        (8, "keep the second contract"),
        (9, "keep both contracts"),
        (10, "pass"),
        (11, "claim Nieuwe Waal - Haringpakkerstoren (pink, 2) with 2 pink"),
        (12, "claim Nieuwe Waal - Haringpakkerstoren (pink, 2) with 1 pink and 1 wild"),
        (13, "claim Nieuwe Waal - Haringpakkerstoren (pink, 2) with 2 wild"),
    ],
)
def test_actions_in_words(action: int, words: str) -> None:
    assert SPACE.describe(action) == words


def test_all_words_differ() -> None:
    described = [SPACE.describe(action) for action in range(len(SPACE))]
    twins_alike = len(described) - len(set(described))
    assert twins_alike == 0
