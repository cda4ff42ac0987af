"""The structures of `core.c`, declared for ctypes, and the tables that it plays by."""

from __future__ import annotations

from ctypes import (
    Structure,
    c_int8,
    c_int16,
    c_int32,
    c_int64,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
    sizeof,
)
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from damrak.env.encode import encoder_for
from damrak_engine.cards import COLOURS, packed_counts
from damrak_engine.dice import STREAMS
from damrak_engine.rules import Rules

MOST_SEATS: Final = 4
FIRST_PLAYERS: Final = {"random": -1, "rotate": -2}  # or a seat
GOODS_TIES: Final = ("skip", "skip_one", "dense", "split")
FINAL_TIES: Final = ("shared", "goods", "seed draw")
OUTCOME: Final = ("total", "place", "route_points", "contract_points", "goods_points", "fulfilled")

Words = NDArray[np.uint64]
_CLAIM: Final = np.dtype(
    {
        "names": ["cost", "route", "colour", "wilds"],
        "formats": ["u8", "u2", "i1", "u1"],
        "offsets": [0, 8, 10, 11],
        "itemsize": 16,
    }
)
_ROUTE: Final = np.dtype(
    {
        "names": ["twin", "a", "b", "length", "points", "goods"],
        "formats": ["i2", "u1", "u1", "u1", "u1", "u1"],
        "offsets": [0, 2, 3, 4, 5, 6],
        "itemsize": 8,
    }
)
_CONTRACT: Final = np.dtype([("a", "u1"), ("b", "u1"), ("points", "u1")])


class Game(Structure):
    """The fixed part of a game; `core.c` describes the fields."""

    _fields_ = (
        ("key", c_uint64),
        ("tape", c_void_p),
        ("pile", c_uint64),
        ("discards", c_uint64),
        ("undrawn", c_uint64),
        ("hand", c_uint64 * MOST_SEATS),
        ("known", c_uint64 * MOST_SEATS),
        ("floor", c_uint64 * MOST_SEATS),
        ("contracts", c_uint64 * MOST_SEATS),
        ("linked", c_uint64 * MOST_SEATS),
        ("given_back", c_uint64 * MOST_SEATS),
        ("draws", c_uint32),
        ("lots", c_uint32),
        ("deal", c_uint32),
        ("turns", c_uint32),
        ("logged", c_uint32),
        ("points", c_int32 * MOST_SEATS),
        ("carts", c_int16 * MOST_SEATS),
        ("goods", c_int16 * MOST_SEATS),
        ("goods_left", c_int16),
        ("pile_size", c_int16),
        ("phase", c_int8),
        ("actor", c_int8),
        ("first", c_int8),
        ("learner", c_int8),
        ("last", c_int8),
        ("passes", c_uint8),
        ("last_turns", c_uint8),
        ("closing", c_uint8),
        ("gone", c_uint8),
        ("leavers", c_uint8),
        ("left", c_uint8 * MOST_SEATS),
        ("reason", c_uint8),
        ("is_waiting", c_uint8),
        ("row", c_uint8 * 5),
        ("offers", c_uint8 * MOST_SEATS),
        ("offer", c_uint8 * 2 * MOST_SEATS),
        ("returned_at", c_uint8),
        ("returned_size", c_uint8),
        ("returned", c_uint8 * 64),
        ("tape_size", c_uint16),
        ("tape_at", c_uint16 * len(STREAMS)),
    )


class Tables(Structure):
    """What follows from board, seats and options."""

    _fields_ = (
        *[(name, c_void_p) for name in ("by_carts", "by_wilds", "by_colour", "open", "leaves")],
        *[(name, c_void_p) for name in ("claims", "route", "contract", "scale")],
        ("deck", c_uint64),
        *[(name, c_int32) for name in ("seats", "locations", "routes", "contracts", "actions")],
        *[(name, c_int32) for name in ("words", "route_words", "carts", "goods_cards")],
        *[(name, c_int32) for name in ("deck_size", "most_of_colour", "lazy", "may_pass")],
        *[(name, c_int32) for name in ("may_stop", "virtual_goods", "equal_turns")],
        *[(name, c_int32) for name in ("unseen_choice", "shuffled", "twins_open")],
        *[(name, c_int32) for name in ("public_sizes", "annul", "goods_ties", "final_tie")],
        *[(name, c_int32) for name in ("turn_limit", "flush_limit", "first_player")],
        ("bonus", c_int32 * MOST_SEATS),
        *[(name, c_int32) for name in ("at_open", "at_owned", "at_free", "at_label")],
        *[(name, c_int32) for name in ("game_size", "log_size")],
    )


class Batch(Structure):
    """One call: the games, what to do with them, and where the results go."""

    _fields_ = (
        *[(name, c_void_p) for name in ("tables", "games", "legal", "log", "seeds", "actions")],
        *[(name, c_void_p) for name in ("select", "observations", "final_observations")],
        *[(name, c_void_p) for name in ("masks", "seats", "rewards", "seat_rewards")],
        *[(name, c_void_p) for name in ("terminals", "outcomes")],
        *[(name, c_int64) for name in ("observation_stride", "final_stride", "mask_stride")],
        ("taken", c_void_p),
        *[(name, c_int32) for name in ("parts", "rows", "job", "autoreset", "reward", "learner")],
        *[(name, c_int32) for name in ("viewer", "as_bytes")],
        ("control", c_int32 * MOST_SEATS),
    )


SIZES: Final = sizeof(Tables) << 40 | sizeof(Game) << 20 | sizeof(Batch)


class GameTables:
    """The tables of one game, and the memory that they point to."""

    def __init__(self, rules: Rules) -> None:
        board, options, seats = rules.board, rules.options, rules.seats
        self.words = len(rules.space) + 63 >> 6
        self.route_words = len(board.routes) + 63 >> 6
        self.arrays = self._arrays(rules)
        self.tables = it = Tables()
        for name, array in self.arrays.items():
            setattr(it, name, array.ctypes.data)
        it.deck = packed_counts(rules.deck)
        it.seats, it.locations, it.routes = seats, len(board.locations), len(board.routes)
        it.contracts, it.actions = len(board.contracts), len(rules.space)
        it.words, it.route_words = self.words, self.route_words
        it.carts, it.goods_cards = board.carts, board.goods_cards
        it.deck_size, it.most_of_colour = board.deck_size, board.cards_per_colour
        it.lazy, it.may_pass, it.may_stop = rules.lazy_reshuffle, rules.may_pass, rules.stop != 0
        it.virtual_goods, it.equal_turns = rules.virtual_goods, rules.equal_turns
        it.unseen_choice = rules.unseen_choice
        it.shuffled = options.returned_order == "shuffled"
        it.twins_open, it.public_sizes = rules.twins_stay_open, options.hand_size_public == "yes"
        it.annul = options.stalemate == "annul"
        it.goods_ties = GOODS_TIES.index(options.goods_ties)
        it.final_tie = FINAL_TIES.index(options.final_tie)
        it.turn_limit, it.flush_limit = rules.turn_limit, rules.flush_limit
        it.first_player = _first_player(options.first_player)
        for rank, points in enumerate(board.goods_bonus[seats]):
            it.bonus[rank] = points
        it.at_open = -(-Game_size // 8) * 8
        it.at_owned = it.at_open + 8 * seats * self.words
        it.at_free = it.at_owned + 8 * seats * self.route_words
        it.at_label = it.at_free + 8 * seats * self.route_words
        it.game_size = -(-(it.at_label + seats * it.locations) // 64) * 64
        it.log_size = _most_actions(rules)

    def set_of(self, mask: int, words: int) -> Words:
        """Return a set of bits as words."""
        return np.frombuffer(mask.to_bytes(8 * words, "little"), np.uint64)

    def _arrays(self, rules: Rules) -> dict[str, NDArray[Any]]:
        board = rules.board
        claims = np.zeros(len(rules.claims), _CLAIM)
        of_route = [0] * len(board.routes)
        for i, it in enumerate(rules.claims):
            claims[i] = (it.cost, it.route, it.colour, it.wilds)
            of_route[it.route] |= rules.bit[it.action]
        routes = np.zeros(len(board.routes), _ROUTE)
        for i, route in enumerate(board.routes):
            points = board.route_points[route.length]
            twin = -1 if route.twin is None else route.twin
            routes[i] = (twin, route.a, route.b, route.length, points, route.goods)
        contracts = np.array([(c.a, c.b, c.points) for c in board.contracts], _CONTRACT)
        everything = (1 << len(rules.space)) - 1
        return {
            "by_carts": self._rows(rules.within_carts),
            "by_wilds": self._rows(rules.within_wilds),
            "by_colour": self._rows(_payable(rules)),
            "open": self.set_of(rules.open_at_start, self.words),
            "leaves": self._rows([everything ^ mask for mask in of_route]),
            "claims": claims,
            "route": routes,
            "contract": contracts,
            "scale": encoder_for(rules).scale,
        }

    def _rows(self, masks: list[int]) -> Words:
        return np.stack([self.set_of(mask, self.words) for mask in masks])


Game_size: Final = sizeof(Game)


@cache
def tables_of(rules: Rules) -> GameTables:
    """Return the tables of these rules, built once."""
    return GameTables(rules)


def _payable(rules: Rules) -> list[int]:
    """Return, for each colour and number of its cards, the claims that they allow."""
    pairs = (rules.pay_pink_blue, rules.pay_green_black, rules.pay_red_orange)
    return [
        pairs[colour // 2][number << 8 * (colour % 2)]
        for colour in range(COLOURS)
        for number in range(rules.board.cards_per_colour + 1)
    ]


def _first_player(option: str) -> int:
    return FIRST_PLAYERS[option] if option in FIRST_PLAYERS else int(option.removeprefix("seat "))


def _most_actions(rules: Rules) -> int:
    """Return a number of actions that no game exceeds.

    Cards come from the deck and from payments, each of which costs a cart; a card may be followed
    by a decision to stop. Every contract is drawn and kept at most once. Between two such actions
    all other seats may pass.
    """
    board, seats = rules.board, rules.seats
    cards = board.deck_size + seats * board.carts
    return (2 * cards + len(board.routes) + 2 * len(board.contracts) + seats + 2) * seats
