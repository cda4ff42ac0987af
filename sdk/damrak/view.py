"""The view that a bot decides on: the observation, with names and helper methods.

All properties are computed on first access and then cached. A view belongs to one decision and is
not updated afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random

from damrak.network import Network, Path, cards_missing
from damrak_engine.actions import FIRST_CLAIM, Action, ClaimRoute
from damrak_engine.board import Board, Contract, Route
from damrak_engine.cards import CARDS, NO_CARD, Card, counts, packed, packed_counts
from damrak_engine.clock import TimeLeft
from damrak_engine.determinize import determinize
from damrak_engine.events import Event
from damrak_engine.lots import Rng
from damrak_engine.observation import Observation
from damrak_engine.position import KEEP, SECOND, SETUP
from damrak_engine.rules import Rules
from damrak_engine.scoring import goods_points
from damrak_engine.state import State

Cards = Mapping[Card, int]


@dataclass(frozen=True, slots=True)
class Affordable:
    """A route that the hand can pay for, and its cheapest payment: fewest wilds, fullest colour."""

    route: Route
    points: int
    payment: ClaimRoute
    action: int


@dataclass(frozen=True, slots=True)
class ContractView:
    """A contract, and what is still missing to fulfil it."""

    contract: Contract
    path: Path | None
    cards: int

    @property
    def fulfilled(self) -> bool:
        """Whether my routes join its two locations."""
        return self.path is not None and not self.path.routes

    @property
    def is_possible(self) -> bool:
        """Whether it is fulfilled, or can still be with my carts and the routes open to me."""
        return self.path is not None


@dataclass(frozen=True, slots=True)
class Opponent:
    """Public information about another seat."""

    seat: int
    carts: int
    points: int
    goods: int
    hand_size: int | None
    known: Cards
    contracts: int
    network: Network
    has_left: bool


class View:
    """One decision of one seat.

    `legal` holds the ids that may be chosen, ascending, and is never empty. `events` is everything
    the seat has seen since the deal. `observation`, `rules` and `determinize` give access to the
    compact engine.
    """

    def __init__(
        self,
        observation: Observation,
        legal: list[int],
        events: Sequence[Event],
        time_left: TimeLeft,
    ) -> None:
        self.observation = observation
        self.legal = legal
        self.events = events
        self.time_left = time_left

    # ---- the table --------------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """The rules of this game: board, number of seats, options, action space."""
        return self.observation.rules

    @property
    def board(self) -> Board:
        """The board; routes, locations and contracts are indexed by their ids."""
        return self.observation.rules.board

    @property
    def seat(self) -> int:
        """My seat."""
        return self.observation.seat

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self.observation.rules.seats

    @property
    def turns(self) -> int:
        """The number of finished turns of all seats together."""
        return self.observation.turns

    # ---- the decision -----------------------------------------------------------------------

    @property
    def is_setup(self) -> bool:
        """Whether I choose my first contracts."""
        return self.observation.phase == SETUP

    @property
    def is_offer(self) -> bool:
        """Whether I choose among contracts, at set-up or later."""
        return self.observation.phase in (SETUP, KEEP)

    @property
    def is_second_card(self) -> bool:
        """Whether I have drawn one card and decide on the second."""
        return self.observation.phase == SECOND

    @property
    def is_last_round(self) -> bool:
        """Whether this is my last turn."""
        return bool(self.observation.last_turns)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The typed forms of `legal`, in the same order."""
        return tuple(self.rules.space.typed(action) for action in self.legal)

    def id_of(self, action: int | Action) -> int:
        """Return the id of an action; an id is returned as it is.

        Raises:
            ValueError: this board has no such action.
        """
        space = self.rules.space
        try:
            if not isinstance(action, int):
                return space.id_of(action)
            if 0 <= action < len(space) and not isinstance(action, bool):
                return int(action)
        except (KeyError, TypeError):
            pass
        raise ValueError(f"{action!r} is no action on the board {self.board.id}")

    def describe(self, action: int | Action) -> str:
        """Return a description of the action in English."""
        return self.rules.space.describe(self.id_of(action))

    # ---- cards ------------------------------------------------------------------------------

    @cached_property
    def hand(self) -> Cards:
        """The number of cards of each kind in my hand; kinds that I lack count 0."""
        return _mapping(self.observation.hand)

    @cached_property
    def row(self) -> tuple[Card | None, ...]:
        """The five face-up cards by slot; None is an empty slot."""
        return tuple(None if card == NO_CARD else CARDS[card] for card in self.observation.row)

    @cached_property
    def discards(self) -> Cards:
        """The number of cards of each kind among the discards."""
        return _mapping(self.observation.discards)

    @cached_property
    def unseen(self) -> Cards:
        """Number of cards of each kind in unknown places: in the pile or hidden in other hands."""
        seen = self.observation
        visible = seen.hand + seen.discards + packed(card for card in seen.row if card != NO_CARD)
        visible += sum(seen.known) - seen.known[seen.seat]
        return _mapping(packed_counts(self.rules.deck) - visible)

    @cached_property
    def blind_odds(self) -> Mapping[Card, float]:
        """The probability of each kind to be the next blind card; all 0 if there is none to draw.

        An unseen card is assumed to be equally likely in any place of the pile and of other hands,
        except for cards that are certain to be in other hands.
        """
        if self.observation.pile_size:
            sure = counts(self.observation.floor)
            pool = {card: number - sure[card] for card, number in self.unseen.items()}
        else:  # the pile is about to be made from the discards
            pool = dict(self.discards)
        total = sum(pool.values())
        return {card: number / total if total else 0.0 for card, number in pool.items()}

    # ---- routes -----------------------------------------------------------------------------

    @cached_property
    def network(self) -> Network:
        """My routes."""
        return Network(self.board, self.observation.owned[self.seat])

    @cached_property
    def open_routes(self) -> tuple[Route, ...]:
        """The routes that I could claim with the right cards: free, not barred, within my carts."""
        seen = self.observation
        mask = seen.open & ~seen.barred[seen.seat] & self.rules.within_carts[seen.carts[seen.seat]]
        claims = route_claims(self.rules)
        return tuple(route for route in self.board.routes if mask & claims[route.id])

    @cached_property
    def affordable(self) -> tuple[Affordable, ...]:
        """The routes that I can claim in this decision, each once, ordered by id."""
        best: dict[int, tuple[tuple[int, int], int, ClaimRoute]] = {}
        for action in self.legal:
            if action >= FIRST_CLAIM:
                claim = self.rules.space.typed(action)
                assert isinstance(claim, ClaimRoute)
                held = 0 if claim.colour is None else self.hand[claim.colour]
                rank = (claim.wilds, -held)
                if claim.route not in best or rank < best[claim.route][0]:
                    best[claim.route] = (rank, action, claim)
        routes, worth = self.board.routes, self.board.route_points
        return tuple(
            Affordable(routes[i], worth[routes[i].length], claim, action)
            for i, (_, action, claim) in sorted(best.items())
        )

    def path(self, a: int, b: int) -> Path | None:
        """Return the path of fewest spaces that would join two locations for me, or None."""
        path = self.network.path(a, b, self.open_routes)
        if path is None or path.spaces > self.observation.carts[self.seat]:
            return None
        return path

    def cards_missing(self, routes: Sequence[Route]) -> int:
        """Return the number of cards that I lack to pay for all these routes, using my wilds."""
        return cards_missing(routes, counts(self.observation.hand))

    # ---- contracts and goods ----------------------------------------------------------------

    @cached_property
    def contracts(self) -> tuple[ContractView, ...]:
        """The contracts that I hold."""
        held = self.observation.contracts
        return tuple(self._contract(c) for c in self.board.contracts if held >> c.id & 1)

    @cached_property
    def offer(self) -> tuple[ContractView, ...]:
        """The contracts I can choose from now, in the order that `KeepContracts` refers to."""
        return tuple(self._contract(self.board.contracts[i]) for i in self.observation.offer)

    @cached_property
    def goods_bonus(self) -> tuple[int, ...]:
        """The goods bonus of each seat if the game ended now."""
        bonus = self.board.goods_bonus[self.seats]
        return tuple(
            goods_points(list(self.observation.goods), bonus, self.rules.options.goods_ties)
        )

    # ---- all seats --------------------------------------------------------------------------

    @property
    def carts(self) -> int:
        """The number of my remaining carts."""
        return self.observation.carts[self.seat]

    @property
    def points(self) -> int:
        """My route points so far."""
        return self.observation.points[self.seat]

    @property
    def goods(self) -> int:
        """The number of my goods cards."""
        return self.observation.goods[self.seat]

    @cached_property
    def opponents(self) -> tuple[Opponent, ...]:
        """The other seats, clockwise from mine."""
        seats = [(self.seat + i) % self.seats for i in range(1, self.seats)]
        return tuple(self._opponent(seat) for seat in seats)

    def determinize(self, rng: Rng | None = None) -> State:
        """Return a full state drawn uniformly from those consistent with what I know.

        Without `rng` the result depends on the position alone.
        """
        return determinize(self.observation, self._rng if rng is None else rng)

    @cached_property
    def _rng(self) -> Random:
        seen = self.observation
        return Random(f"{seen.seat} {seen.turns} {seen.hand} {seen.row} {seen.dealt}")

    def _contract(self, contract: Contract) -> ContractView:
        path = self.path(contract.a, contract.b)
        cards = 0 if path is None else self.cards_missing(path.routes)
        return ContractView(contract, path, cards)

    def _opponent(self, seat: int) -> Opponent:
        seen = self.observation
        return Opponent(
            seat=seat,
            carts=seen.carts[seat],
            points=seen.points[seat],
            goods=seen.goods[seat],
            hand_size=None if seen.hand_sizes is None else seen.hand_sizes[seat],
            known=_mapping(seen.known[seat]),
            contracts=seen.contract_counts[seat],
            network=Network(self.board, seen.owned[seat]),
            has_left=bool(seen.gone >> seat & 1),
        )


@cache
def route_claims(rules: Rules) -> tuple[int, ...]:
    """Return the claims of each route as a mask of action ids."""
    masks = [0] * len(rules.board.routes)
    for claim in rules.claims:
        masks[claim.route] |= rules.bit[claim.action]
    return tuple(masks)


def _mapping(pack: int) -> Cards:
    return dict(zip(CARDS, counts(pack), strict=True))
