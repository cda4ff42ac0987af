"""The table from one viewpoint, updated event by event.

It receives events without the information hidden from this viewpoint, so it cannot leak any. The
conclusions of a seat about other hands follow the engine's own bookkeeping (`position`, `supply`);
tests compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from damrak_engine import events
from damrak_engine.board import Board
from damrak_engine.cards import NO_CARD, ONE, WILD, counts, packed, size, without
from damrak_engine.events import Event
from damrak_engine.position import ROW_SIZE
from damrak_engine.rules import Rules
from damrak_engine.scoring import goods_points, split_contracts

Values: TypeAlias = dict[str, Any]
"""All visible values at one moment, under short names; `Table.values` explains them."""


class Table:
    """The view of `seat`. With -1 it belongs to no seat and shows what the given events show."""

    def __init__(self, rules: Rules, seat: int) -> None:
        self.rules = rules
        self.seat = seat
        seats = range(rules.seats)
        self.known = [0 for _ in seats]  # known cards of each hand
        self.hidden = [0 for _ in seats]  # number of its other cards
        self.floor = 0  # cards certainly among the hidden ones of all hands together
        self.is_floored = False  # whether there has been a reshuffle after which `floor` is known
        self.row = [NO_CARD] * ROW_SIZE
        self.pile = 0
        self.discards = 0
        self.lost = 0  # number of discards unknown to this viewpoint
        self.carts = [rules.board.carts for _ in seats]
        self.points = [0 for _ in seats]
        self.goods = [0 for _ in seats]
        self.goods_left = rules.board.goods_cards
        self.owners: dict[int, int] = {}
        self.closed: set[int] = set()
        self.contracts: list[list[int | None]] = [[] for _ in seats]
        self.offers: list[list[int | None]] = [[] for _ in seats]
        self.turn = 0
        self.continues = -1  # the seat that is in the middle of its turn
        self.last_round = False
        self.faults: dict[int, str] = {}
        self.spent = [0 for _ in seats]

    def see(self, event: Event, left: int | None = None) -> None:
        """Apply an event. `left` is the hand of a seat that leaves, which is discarded openly."""
        match event:
            case events.Deal():
                self._deal(event)
            case events.Refill():
                self.pile -= 1
                self.row[event.slot] = event.card
            case events.Reshuffle():
                self._reshuffle()
            case events.Flush():
                self.discards += packed(self.row)
                self.row = [NO_CARD] * ROW_SIZE
            case events.LastRound():
                self.last_round = True
            case events.Fault():
                self._turn_of(event.seat)
                self.continues = -1
                self._leave(event, left)
            case events.Decision():
                self._decide(event)

    def _decide(self, event: events.Decision) -> None:
        seat = event.seat
        self.spent[seat] += event.ms or 0
        if isinstance(event, events.Keep):
            self.contracts[seat] += sorted(event.contracts, key=lambda c: -1 if c is None else c)
            self.offers[seat] = []
            self.continues = -1
            return
        was = self.continues
        self._turn_of(seat)
        match event:
            case events.Blind():
                self.pile -= 1
                if event.card is None:
                    self.hidden[seat] += 1
                else:
                    self.known[seat] += ONE[event.card]
                self.continues = -1 if was == seat else seat
            case events.Take():
                self.row[event.slot] = NO_CARD
                self.known[seat] += ONE[event.card]
                self.continues = -1 if was == seat or event.card == WILD else seat
            case events.Claim():
                self._claim(event)
            case events.Offer():
                self.offers[seat] = list(event.contracts)
                self.continues = seat

    def _turn_of(self, seat: int) -> None:
        """Register a decision of the seat; a new turn begins unless it was in the middle of one."""
        if not any(self.offers) and self.continues != seat:
            self.turn += 1
        self.continues = -1

    def _deal(self, event: events.Deal) -> None:
        for seat, hand in enumerate(event.hands):
            self.known[seat] = packed([card for card in hand if card is not None])
            self.hidden[seat] = hand.count(None)
            self.offers[seat] = list(event.contracts[seat])
        self.row = [NO_CARD if card is None else card for card in event.row]
        self.pile = sum(self.rules.deck) - len(self.row) - sum(map(len, event.hands))

    def _reshuffle(self) -> None:
        self.is_floored = not self.lost
        self.floor = 0 if self.lost else self._concealed()  # because the pile is empty
        self.pile = size(self.discards) + self.lost
        self.discards = self.lost = 0

    def _claim(self, event: events.Claim) -> None:
        board = self.rules.board
        route = board.routes[event.route]
        cost = event.wilds * ONE[WILD]
        if event.colour is not None:
            cost += (route.length - event.wilds) * ONE[event.colour]
        self._show(event.seat, cost)
        self.discards += cost
        self.owners[route.id] = event.seat
        if route.twin is not None and not self.rules.twins_stay_open:
            self.closed.add(route.twin)
        self.carts[event.seat] -= route.length
        self.points[event.seat] += board.route_points[route.length]
        if event.goods:
            self.goods[event.seat] += 1
            self.goods_left -= 1

    def _show(self, seat: int, cards: int) -> None:
        """Remove these cards from a hand, visibly for all seats."""
        known = self.known[seat]
        self.known[seat] = without(known, cards)
        unexpected = without(cards, known)
        self.hidden[seat] -= size(unexpected)
        if self.is_floored and seat != self.seat:
            self.floor = without(self.floor, unexpected)

    def _leave(self, event: events.Fault, left: int | None) -> None:
        seat = event.seat
        self.faults[seat] = event.reason
        self.offers[seat] = []
        if left is None:
            self.discards += self.known[seat]
            self.lost += self.hidden[seat]
            self.floor, self.is_floored = 0, False
            self.known[seat] = self.hidden[seat] = 0
        else:
            self._show(seat, left)
            self.discards += left

    # ---- visible values -----------------------------------------------------------------------

    def _concealed(self) -> int:
        """Return all cards hidden from this viewpoint, wherever they are."""
        deck = sum(number * ONE[kind] for kind, number in enumerate(self.rules.deck))
        seen = self.discards + packed([card for card in self.row if card != NO_CARD])
        return deck - seen - sum(self.known)

    def values(self) -> Values:
        """Return all values, each under its name.

        `row`, `pile`, `discards` (one number per kind), `lost`, `unseen` (one number per kind, in
        the pile or in hidden hands), `floor` (those of them that are certainly in hands), `goods`,
        `turn`, `last`; a letter and a seat: `h` hand (one number per kind, then the hidden cards),
        `c` contracts, `q` those it chooses from, `d` the fulfilled ones, `p` points of routes, `s`
        the score, `k` carts, `g` goods cards, `x` why it left, `m` its thinking time in
        milliseconds; `r` and a route: the owner, -1 if it is closed.
        """
        rules = self.rules
        seen: Values = {
            "row": [-1 if card == NO_CARD else int(card) for card in self.row],
            "pile": self.pile,
            "discards": list(counts(self.discards)),
            "lost": self.lost,
            "unseen": list(counts(self._concealed())),
            "floor": list(counts(self.floor)),
            "goods": self.goods_left,
            "turn": self.turn,
            "last": self.last_round,
        }
        bonus = goods_points(
            self.goods, rules.board.goods_bonus[rules.seats], rules.options.goods_ties
        )
        for seat in range(rules.seats):
            done, worth = self._fulfilled(rules.board, seat)
            seen |= {
                f"h{seat}": [*counts(self.known[seat]), self.hidden[seat]],
                f"c{seat}": list(self.contracts[seat]),
                f"q{seat}": list(self.offers[seat]),
                f"d{seat}": done,
                f"p{seat}": self.points[seat],
                f"s{seat}": self.points[seat] + bonus[seat] + worth,
                f"k{seat}": self.carts[seat],
                f"g{seat}": self.goods[seat],
                f"x{seat}": self.faults.get(seat, ""),
                f"m{seat}": self.spent[seat],
            }
        seen |= {f"r{route}": -1 for route in self.closed}
        seen |= {f"r{route}": seat for route, seat in self.owners.items()}
        return seen

    def owned(self, seat: int) -> int:
        """Return the routes of a seat, as a mask."""
        return sum(1 << route for route, owner in self.owners.items() if owner == seat)

    def _fulfilled(self, board: Board, seat: int) -> tuple[Sequence[int], int]:
        mask = sum(1 << contract for contract in self.contracts[seat] if contract is not None)
        if not mask:
            return [], 0
        done, failed = split_contracts(board, self.owned(seat), mask)
        points = [contract.points for contract in board.contracts]
        return list(done), sum(points[c] for c in done) - sum(points[c] for c in failed)
