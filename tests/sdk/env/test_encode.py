"""Observation vectors: their layout, and that they match the observation."""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from damrak.env import LAYOUT, encoder_for, observation_layout
from damrak_engine.boards import board_names, load_board
from damrak_engine.cards import KINDS, NO_CARD, ONE, count, packed, size
from damrak_engine.deal import new_game
from damrak_engine.determinize import determinize
from damrak_engine.dice import QuickDice
from damrak_engine.observation import Observation, contract_deals, observe
from damrak_engine.options import parse_options
from damrak_engine.rules import Rules, rules_for
from damrak_engine.scoring import split_contracts
from damrak_engine.state import State

AMSTERDAM = load_board("amsterdam")
UNUSUAL = parse_options(
    {
        "pass": "voluntary",
        "initial_choice": "in_turn_order",
        "hand_size_public": "no",
        "goods_exhausted": "virtual",
        "equal_turns": "on",
        "all_wild": "no",
    }
)
GAMES = [rules_for(AMSTERDAM, seats) for seats in (2, 3, 4)]
GAMES += [rules_for(AMSTERDAM, 3, UNUSUAL)]
GAMES += [rules_for(load_board(board), 2) for board in board_names() if board != "amsterdam"]


def name(rules: Rules) -> str:
    return f"{rules.board.id}-{rules.seats}-{'unusual' if rules.options == UNUSUAL else 'usual'}"


def positions(rules: Rules, seed: int, games: int, leavers: bool = False) -> Iterator[State]:
    rng = random.Random(seed)
    dice = QuickDice(rng.random)
    for _ in range(games):
        state = new_game(rules, dice)
        yield state
        while not state.is_over:
            if leavers and rng.random() < 0.02:
                state.leave(state.actor, "crash", "", dice)
            else:
                state.apply(state.random_action(rng.random), dice)
            yield state


def by_the_book(seen: Observation) -> dict[str, np.ndarray]:
    """Return every part, calculated slowly from its definition."""
    board, seats = seen.rules.board, seen.rules.seats
    me = seen.seat
    turned = [(me + i) % seats for i in range(seats)]
    routes, contracts = range(len(board.routes)), range(len(board.contracts))
    allowed = seen.open & ~seen.barred[me]
    deals = contract_deals(seen.dealt)
    returned: set[int] = set()
    for deal in deals:
        if deal.ids is not None:
            returned -= set(deal.ids)
            if deal.answered:
                returned |= set(deal.ids) - set(deal.kept_ids or ())
    visible = seen.hand + seen.discards + packed(card for card in seen.row if card != NO_CARD)
    visible += sum(pack for seat, pack in enumerate(seen.known) if seat != me)
    deck = sum(ONE[kind] * number for kind, number in enumerate(seen.rules.deck))

    def shares(pack: int) -> list[float]:
        return [count(pack, kind) / max(seen.rules.deck[kind], 1) for kind in range(KINDS)]

    sizes = seen.hand_sizes or [size(seen.hand) if seat == me else 0 for seat in range(seats)]
    best = max(board.carts * board.route_points[r.length] // r.length for r in board.routes)
    marked = min(board.carts, sum(route.goods for route in board.routes))
    on_offer = sum(deal.number for deal in deals if not deal.answered)
    linked, _ = split_contracts(board, seen.owned[me], (1 << len(contracts)) - 1)
    return {
        "phase": np.eye(5)[seen.phase],
        "actor": np.array([seat == seen.actor for seat in turned]),
        "first": np.array([seat == seen.first for seat in turned]),
        "gone": np.array([seen.gone >> seat & 1 for seat in turned]),
        "last_turns": np.array([seen.last_turns >> seat & 1 for seat in turned]),
        "closing": np.array([seen.closing]),
        "row": np.eye(8)[list(seen.row)],
        "owned": np.array([[seen.owned[seat] >> r & 1 for r in routes] for seat in turned]),
        "open": np.array(
            [
                any(allowed >> c.action & 1 for c in seen.rules.claims if c.route == r)
                for r in routes
            ]
        ),
        "contracts": np.array([seen.contracts >> c & 1 for c in contracts]),
        "linked": np.array([c in linked for c in contracts]),
        "offer": np.array([[seen.offer[i : i + 1] == (c,) for c in contracts] for i in (0, 1)]),
        "returned": np.array([c in returned for c in contracts]),
        "hand": np.array(shares(seen.hand)),
        "discards": np.array(shares(seen.discards)),
        "unseen": np.array(shares(deck - visible)),
        "floor": np.array(shares(seen.floor)),
        "known": np.array([shares(seen.known[seat]) for seat in turned]),
        "pile": np.array([seen.pile_size / board.deck_size]),
        "contract_pile": np.array(
            [(len(contracts) - sum(seen.contract_counts) - on_offer) / len(contracts)]
        ),
        "goods_left": np.array([max(seen.goods_left, 0) / max(board.goods_cards, 1)]),
        "turns": np.array([min(seen.turns / board.deck_size / seats, 1)]),
        "passes": np.array([seen.passes / seats]),
        "hand_sizes": np.array([sizes[seat] / board.deck_size for seat in turned]),
        "carts": np.array([seen.carts[seat] / board.carts for seat in turned]),
        "points": np.array([seen.points[seat] / best for seat in turned]),
        "goods": np.array([seen.goods[seat] / max(marked, 1) for seat in turned]),
        "contract_counts": np.array(
            [seen.contract_counts[seat] / len(contracts) for seat in turned]
        ),
    }


@pytest.mark.parametrize("rules", GAMES, ids=name)
@pytest.mark.parametrize("leavers", [False, True])
def test_every_part_matches_the_layout(rules: Rules, leavers: bool) -> None:
    encoder = encoder_for(rules)
    for state in positions(rules, seed=5, games=2, leavers=leavers):
        for seat in range(rules.seats):
            seen = observe(state, seat)
            vector = encoder.encode(seen)
            expected = by_the_book(seen)
            assert list(expected) == [part.name for part in encoder.layout]
            for part, value in expected.items():
                got = encoder.part(vector, part)
                assert got.shape == value.shape, part
                assert got == pytest.approx(value.astype(np.float32), abs=1e-6), part


@pytest.mark.parametrize("rules", GAMES, ids=name)
def test_vectors_have_one_size_and_lie_between_0_and_1(rules: Rules) -> None:
    encoder = encoder_for(rules)
    for state in positions(rules, seed=6, games=10):
        vector = encoder.encode(observe(state, state.turns % rules.seats))
        assert vector.shape == (encoder.size,)
        assert vector.dtype == np.float32
        assert vector.min() >= 0
        assert vector.max() <= 1


def test_contract_pile_counts_what_is_left() -> None:
    encoder = encoder_for(GAMES[0])
    for state in positions(GAMES[0], seed=8, games=5):
        if state.phase:  # during set-up the answers of others are unknown
            vector = encoder.encode(observe(state, 0))
            left = encoder.part(vector, "contract_pile")[0] * len(AMSTERDAM.contracts)
            assert left == pytest.approx(state.undrawn.bit_count() + len(state.returned), abs=1e-4)


def test_a_vector_contains_no_hidden_information() -> None:
    rules = GAMES[1]
    encoder = encoder_for(rules)
    rng = random.Random(9)
    for state in positions(rules, seed=9, games=1):
        seen = observe(state, 2)
        other = determinize(seen, rng)
        assert (encoder.encode(observe(other, 2)) == encoder.encode(seen)).all()


def test_encoding_fills_a_row_of_a_batch() -> None:
    encoder = encoder_for(GAMES[0])
    batch = np.full((3, encoder.size), 7, np.float32)
    state = next(positions(GAMES[0], seed=1, games=1))
    given = encoder.encode(observe(state, 0), out=batch[1])
    assert np.shares_memory(given, batch)
    assert (batch[1] == encoder.encode(observe(state, 0))).all()
    assert (batch[[0, 2]] == 7).all()
    assert encoder.part(batch, "owned").shape == (3, 2, len(AMSTERDAM.routes))


def test_vectors_share_no_memory() -> None:
    encoder = encoder_for(GAMES[0])
    seen = observe(next(positions(GAMES[0], seed=1, games=1)), 0)
    assert not np.shares_memory(encoder.encode(seen), encoder.encode(seen))
    assert not np.shares_memory(encoder.mask(3), encoder.mask(3))


@pytest.mark.parametrize("rules", GAMES, ids=name)
def test_masks_hold_the_legal_actions(rules: Rules) -> None:
    encoder = encoder_for(rules)
    for state in positions(rules, seed=4, games=2):
        mask = encoder.mask(state.legal_mask())
        assert mask.shape == (len(rules.space),)
        assert mask.dtype == np.int8
        assert np.flatnonzero(mask).tolist() == state.legal_actions()
        assert (encoder.mask(state.legal_actions()) == mask).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_layout_has_no_gaps(players: int) -> None:
    layout = observation_layout("amsterdam", players)
    assert [part.start for part in layout] == [0, *(part.stop for part in layout[:-1])]
    assert len({part.name for part in layout}) == len(layout)
    assert layout[-1].stop == encoder_for(rules_for(AMSTERDAM, players)).size


def test_layout_changes_only_with_its_version() -> None:
    pinned = {"damrak-observation/1": "3cf63f4b4a62ba92"}
    layouts = [observation_layout("amsterdam", players) for players in (2, 3, 4)]
    table = repr([[(part.name, part.start, part.shape) for part in parts] for parts in layouts])
    assert hashlib.sha256(table.encode()).hexdigest()[:16] == pinned[LAYOUT]


def test_the_document_shows_this_layout() -> None:
    document = Path(__file__).parents[3] / "docs" / "bot-authors" / "training.md"
    shown = [line for line in document.read_text("utf-8").splitlines() if " | " in line]
    for part in observation_layout("amsterdam", 2):
        shape = " \u00d7 ".join(str(length) for length in part.shape)
        assert f"| `{part.name}` | {part.start} | {shape} | {part.meaning} |" in shown
