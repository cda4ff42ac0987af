"""Rule tables of a game, derived from board, number of seats and options.

They are built once and shared by every state of that game. The claims that a hand can pay for are
sets of action ids, kept as bits of one integer, so that "open to this seat, within its carts,
within its wilds, enough of some colour" takes four ANDs instead of a loop over routes.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from damrak_engine.actions import FIRST_CLAIM, PASS, ActionSpace, ClaimRoute
from damrak_engine.board import Board, Route
from damrak_engine.cards import BITS, COLOURS, WILD, packed_of
from damrak_engine.errors import OptionsError
from damrak_engine.options import DEFAULTS, Options

PAIR: Final = (1 << 2 * BITS) - 1  # the counts of two colours


class Claim:
    """Cost and effects of one payment for one route."""

    def __init__(self, action: int, form: ClaimRoute, route: Route, points: int) -> None:
        self.action = action
        self.route = route.id
        self.colour = -1 if form.colour is None else int(form.colour)
        self.wilds = form.wilds
        self.length = route.length
        self.points = points
        self.goods = route.goods
        self.cost = packed_of(form.wilds, WILD)
        if self.colour >= 0:
            self.cost += packed_of(route.length - form.wilds, self.colour)
        self.leaves = 0  # the claims that stay open to every seat
        self.bars = 0  # the claims of its twin, which become barred to this seat only


class Rules:
    """Rule tables for a board, a number of seats and a set of options."""

    def __init__(self, board: Board, seats: int, options: Options = DEFAULTS) -> None:
        low, high = board.players
        if not low <= seats <= high:
            raise OptionsError(f"{board.id} is for {low} to {high} players, not {seats}")
        self.board = board
        self.seats = seats
        self.options = options
        self.space = space_of(board)
        self.bit = [1 << action for action in range(len(self.space))]
        self.twins_stay_open = seats >= int(options.double_open_from[0])
        self.lazy_reshuffle = options.reshuffle == "lazy"
        self.may_pass = options.pass_ == "voluntary"
        self.stop = 1 << PASS if options.second_card == "optional" else 0
        self.virtual_goods = options.goods_exhausted == "virtual"
        self.equal_turns = options.equal_turns == "on"
        self.unseen_choice = options.initial_choice == "simultaneous"
        self.turn_limit = 0 if options.turn_limit == "off" else int(options.turn_limit)
        self.flush_limit = {"feasible": -1, "cap3": 3, "once": 1}[options.flush_guard]
        self.deck = (*(board.cards_per_colour,) * COLOURS, board.wild_cards)
        self.claims: list[Claim] = []
        for action in range(FIRST_CLAIM, len(self.space)):
            form = self.space.typed(action)
            assert isinstance(form, ClaimRoute)
            route = board.routes[form.route]
            points = board.route_points[route.length]
            self.claims.append(Claim(action, form, route, points))
        self._link_twins()
        self._tabulate()

    def _link_twins(self) -> None:
        everything = (1 << len(self.space)) - 1
        of_route = [0] * len(self.board.routes)
        for claim in self.claims:
            of_route[claim.route] |= self.bit[claim.action]
        for claim in self.claims:
            closed = of_route[claim.route]
            twin = self.board.routes[claim.route].twin
            if twin is not None:
                if self.twins_stay_open:
                    claim.bars = of_route[twin]
                else:
                    closed |= of_route[twin]
            claim.leaves = everything ^ closed

    def _tabulate(self) -> None:
        board = self.board
        self.within_carts = [0] * (board.carts + 1)
        self.within_wilds = [0] * (board.wild_cards + 1)
        enough = [[0] * (board.cards_per_colour + 1) for _ in range(COLOURS)]
        wilds_alone = 0
        for claim in self.claims:
            bit = self.bit[claim.action]
            for carts in range(claim.length, board.carts + 1):
                self.within_carts[carts] |= bit
            for wilds in range(claim.wilds, board.wild_cards + 1):
                self.within_wilds[wilds] |= bit
            if claim.colour < 0:
                wilds_alone |= bit
            else:
                for cards in range(claim.length - claim.wilds, board.cards_per_colour + 1):
                    enough[claim.colour][cards] |= bit
        self.open_at_start = 0
        for claim in self.claims:
            if claim.colour >= 0 or self.options.all_wild == "yes":
                self.open_at_start |= self.bit[claim.action]
        # The counts of two neighbouring colours, sixteen bits of a packed hand, index one table.
        self.pay_pink_blue = _pair_table(enough[0], enough[1], wilds_alone)
        self.pay_green_black = _pair_table(enough[2], enough[3], 0)
        self.pay_red_orange = _pair_table(enough[4], enough[5], 0)


def _pair_table(low: list[int], high: list[int], always: int) -> dict[int, int]:
    return {
        i | j << BITS: always | low[i] | high[j] for i in range(len(low)) for j in range(len(high))
    }


@cache
def space_of(board: Board) -> ActionSpace:
    """Return the action space of a board, built once."""
    return ActionSpace(board)


@cache
def rules_for(board: Board, seats: int, options: Options = DEFAULTS) -> Rules:
    """Return the tables of this game, built once.

    Raises:
        OptionsError: the board does not support this number of players.
    """
    return Rules(board, seats, options)
