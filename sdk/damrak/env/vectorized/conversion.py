"""States of the engine as games of the native core, and games of a batch as states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np

from damrak.env.encode import offers_seen
from damrak.env.vectorized.chance import draws_of, key_of
from damrak.env.vectorized.plan import Array, Plan
from damrak.env.vectorized.structures import Game, GameTables
from damrak_engine.cards import BITS, KINDS, NO_CARD, ONE, counts, packed_counts
from damrak_engine.deal import new_game
from damrak_engine.dice import QuickDice
from damrak_engine.events import Event
from damrak_engine.observation import observe
from damrak_engine.position import (
    KEEP,
    NO_CONTRACT,
    OVER,
    PENDING,
    ROW_SIZE,
    SECOND,
    SETUP,
    TURN,
)
from damrak_engine.rules import Rules
from damrak_engine.scoring import regions
from damrak_engine.state import State

MOST_TURNS: Final = 1 << 30


class Games(Protocol):
    """The part of a batch of games that `Replayed` needs."""

    @property
    def plan(self) -> Plan: ...
    @property
    def arrays(self) -> Any: ...
    @property
    def deals(self) -> Any: ...
    def origin(self, row: int) -> State | None: ...
    def played(self, row: int) -> Sequence[int]: ...


class Replayed:
    """One game of a batch, played again by the engine from its actions."""

    def __init__(self, games: Games, row: int, log: list[Event] | None = None) -> None:
        self._games = games
        self._row = row
        self._number = 0
        rules = games.plan.rules
        self.deal = int(games.deals[row])
        self.draws = draws_of(key_of(int(games.arrays.seeds[row]), row, self.deal))[0]
        self.dice = QuickDice(self.draws.random)
        origin = games.origin(row)
        if origin is None:
            self.state = new_game(rules, self.dice, log, first_of(rules, self.deal))
        else:
            self.state = origin.copy()
            self.state.log = log

    def advance(self) -> State:
        """Return the present state."""
        actions = self._games.played(self._row)
        for action in actions[self._number :]:
            self.state.apply(action, self.dice)
        self._number = len(actions)
        return self.state


def first_of(rules: Rules, deal: int) -> int | None:
    """Return the first player of this deal if the rules do not choose one themselves."""
    return (deal - 1) % rules.seats if rules.options.first_player == "rotate" else None


def checked_state(rules: Rules, state: State) -> State:
    """Return a copy of a state that can be loaded.

    Raises:
        ValueError: the state is of another game, is over, or contradicts itself.
    """
    if not isinstance(state, State):
        raise ValueError(f"expected a State, not {type(state).__name__}")
    theirs = state.rules
    if (theirs.board, theirs.seats, theirs.options) != (rules.board, rules.seats, rules.options):
        raise ValueError("the state has another board, number of players or options")
    if state.phase == OVER:
        raise ValueError("the game of this state is over")
    if not _is_consistent(rules, state):
        raise ValueError("the state contradicts itself: it was not reached by play")
    state = state.copy()
    state.legal = -1  # to be computed from the rest
    return state


def _is_consistent(rules: Rules, state: State) -> bool:
    return all(
        check(rules, state)
        for check in (
            _has_seats,
            _has_all_cards,
            _has_all_contracts,
            _has_all_carts,
            _has_turn_order,
            _has_offers,
        )
    )


def _has_seats(rules: Rules, state: State) -> bool:
    fields = (state.hands, state.known, state.carts, state.points, state.goods, state.owned)
    return {len(it) for it in (*fields, state.contracts, state.offers)} == {rules.seats}


def _has_all_cards(rules: Rules, state: State) -> bool:
    if len(state.row) != ROW_SIZE or not all(0 <= card <= NO_CARD for card in state.row):
        return False
    if len(state.pile) != KINDS or min(state.pile) < 0 or sum(state.pile) != state.pile_size:
        return False
    row = sum([ONE[card] for card in state.row if card != NO_CARD])
    packs = [packed_counts(state.pile), state.discards, row, *state.hands]
    if min(packs) < 0 or max(packs) >> BITS * KINDS:
        return False
    if tuple(map(sum, zip(*map(counts, packs), strict=True))) != rules.deck:
        return False
    pairs = zip(state.known, state.hands, strict=True)
    floors = [(floor, packed_counts(rules.deck)) for floor in state.floor]
    return len(state.floor) in (0, rules.seats) and all(
        part >= 0
        and part >> BITS * KINDS == 0
        and all(k <= h for k, h in zip(counts(part), counts(whole), strict=True))
        for part, whole in (*pairs, *floors)
    )


def _has_all_contracts(rules: Rules, state: State) -> bool:
    number = len(rules.board.contracts)
    loose = [*state.returned, *[it for offer in state.offers for it in offer]]
    if not all(0 <= it < number for it in loose) or min(*state.contracts, state.undrawn) < 0:
        return False
    sets = [state.undrawn, *state.contracts, *[1 << it for it in loose]]
    union = 0
    for contracts in sets:
        union |= contracts
    each_once = sum(it.bit_count() for it in sets) == number
    return each_once and union == (1 << number) - 1 and max(map(len, state.offers)) <= 2


def _has_all_carts(rules: Rules, state: State) -> bool:
    board = rules.board
    if min(state.owned) < 0 or max(state.owned) >> len(board.routes):
        return False
    if state.goods_left != board.goods_cards - sum(state.goods) or min(state.goods) < 0:
        return False
    for seat, owned in enumerate(state.owned):
        lengths = [route.length for route in board.routes if owned >> route.id & 1]
        if state.carts[seat] != board.carts - sum(lengths) or state.carts[seat] < 0:
            return False
        if state.points[seat] != sum(board.route_points[length] for length in lengths):
            return False
    return _open_routes(rules, state.owned) == (state.open, tuple(state.barred))


def _open_routes(rules: Rules, owned: Sequence[int]) -> tuple[int, tuple[int, ...]]:
    """Return the claims that are open, and those barred to each seat, with these routes owned."""
    open_, barred = rules.open_at_start, [0] * rules.seats
    for claim in rules.claims:
        for seat, routes in enumerate(owned):
            if routes >> claim.route & 1:
                open_ &= claim.leaves
                barred[seat] |= claim.bars
    return open_, tuple(barred)


def _has_turn_order(rules: Rules, state: State) -> bool:
    seats = range(rules.seats)
    if state.actor not in seats or state.first not in seats or state.passes not in seats:
        return False
    if not 0 <= state.turns < MOST_TURNS or not 0 <= state.last_turns < 1 << rules.seats:
        return False
    if sorted(seat for seat, _ in state.left) != [i for i in seats if state.gone >> i & 1]:
        return False
    if state.gone >> rules.seats or state.gone >> state.actor & 1:
        return False
    return state.phase in (SETUP, TURN, SECOND, KEEP)


def _has_offers(rules: Rules, state: State) -> bool:
    """Return whether the contracts on offer fit the phase and the history of offers."""
    pending: list[tuple[int, ...]] = [()] * rules.seats
    for code in state.dealt:
        seat, first, second, answer = code & 7, code >> 3 & 63, code >> 9 & 63, code >> 15
        if code < 0 or seat >= rules.seats:
            return False
        if answer == PENDING:
            pending[seat] = (first,) if second == NO_CONTRACT else (first, second)
    if pending != list(state.offers):
        return False
    choosing = {SETUP: range((state.actor - state.first) % rules.seats, rules.seats)}
    order = [(state.first + i) % rules.seats for i in choosing.get(state.phase, ())]
    expected = {seat for seat in order if not state.gone >> seat & 1}
    if state.phase == KEEP:
        expected = {state.actor}
    return {seat for seat in range(rules.seats) if pending[seat]} == expected


def write_game(tables: GameTables, memory: Array, legal: Array, state: State) -> Game:
    """Write a state, checked before, into the memory of a game, and return its fixed part."""
    it, rules = tables.tables, state.rules
    memory[:] = 0
    game = Game.from_buffer(memory.data)
    game.pile, game.discards, game.pile_size = (
        packed_counts(state.pile),
        state.discards,
        state.pile_size,
    )
    game.undrawn, game.returned_size = state.undrawn, len(state.returned)
    game.returned[: len(state.returned)] = state.returned
    game.phase, game.actor, game.first, game.last = (
        state.phase,
        state.actor,
        state.first,
        state.actor,
    )
    game.turns, game.passes, game.last_turns = state.turns, state.passes, state.last_turns
    game.closing, game.gone, game.goods_left = state.closing, state.gone, state.goods_left
    game.leavers = len(state.left)
    game.left[: len(state.left)] = [seat for seat, _ in state.left]
    game.row[:] = state.row
    legal[:] = tables.set_of(state.legal_mask(), it.words)
    for seat in range(rules.seats):
        _write_seat(game, state, seat)
        _write_sets(tables, memory, state, seat)
    return game


def _write_seat(game: Game, state: State, seat: int) -> None:
    board = state.rules.board
    joined = regions(board, state.owned[seat])
    game.hand[seat], game.known[seat] = state.hands[seat], state.known[seat]
    game.floor[seat] = state.floor[seat] if state.floor else 0
    game.contracts[seat] = state.contracts[seat]
    game.linked[seat] = sum([(joined[c.a] >> c.b & 1) << c.id for c in board.contracts])
    everything = (1 << len(board.contracts)) - 1
    game.given_back[seat] = offers_seen(observe(state, seat))[0] & everything
    game.points[seat], game.carts[seat] = state.points[seat], state.carts[seat]
    game.goods[seat], game.offers[seat] = state.goods[seat], len(state.offers[seat])
    for i, contract in enumerate(state.offers[seat]):
        game.offer[seat][i] = contract


def _write_sets(tables: GameTables, memory: Array, state: State, seat: int) -> None:
    it, rules = tables.tables, state.rules
    open_ = state.open & ~state.barred[seat]
    free = 0
    for claim in rules.claims:
        free |= (open_ >> claim.action & 1) << claim.route
    for at, mask, words in (
        (it.at_open, open_, it.words),
        (it.at_owned, state.owned[seat], it.route_words),
        (it.at_free, free, it.route_words),
    ):
        start, stop = at + 8 * words * seat, at + 8 * words * (seat + 1)
        memory[start:stop] = tables.set_of(mask, words).view(np.uint8)
    start = it.at_label + it.locations * seat
    joined = regions(rules.board, state.owned[seat])
    memory[start : start + it.locations] = [(mask & -mask).bit_length() - 1 for mask in joined]
