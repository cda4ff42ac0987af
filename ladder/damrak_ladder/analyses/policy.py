"""The reference policy that plays rollouts: fast, and decent, as it works for its contracts.

A seat plans the cheapest paths that its contracts still need, claims routes of the plan as soon as
it can, and otherwise collects cards for them; with nothing left to plan for, it claims the routes
with the most points. It uses only the information of its seat: its own hand and contracts, and all
that lies open.
"""

from __future__ import annotations

from typing import Final

from damrak_engine.actions import (
    BLIND,
    FIRST_CLAIM,
    KEEP_BOTH,
    KEEP_FIRST,
    KEEP_SECOND,
    OFFER,
    TAKE,
)
from damrak_engine.cards import COLOURS, GREY, WILD, counts
from damrak_engine.position import KEEP, SETUP, TURN
from damrak_engine.state import State
from damrak_ladder.analyses.board_index import Ground

FEW_CARTS: Final = 2  # with at most this many carts the last round is announced
HOARD: Final = 14  # with this many cards, claiming anything good beats waiting
SPARE_CARTS: Final = 14  # with fewer carts than this no more contracts are drawn

Plan = tuple[int, int, int]  # contracts, owned routes at the time of planning, routes still needed


class Policy:
    """A player of all seats of one game; create one per rollout, on a shared ground."""

    __slots__ = ("_ground", "_plans")

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._plans: list[Plan | None] = [None] * ground.rules.seats

    def choose(self, state: State) -> int:
        """Return the action of the actor."""
        phase = state.phase
        seat = state.actor
        if phase in (SETUP, KEEP):
            return self._keep(state, seat)
        legal = state.legal_mask()
        needed = self.needed(state, seat)
        hand = counts(state.hands[seat])
        if phase == TURN:
            if legal >> FIRST_CLAIM:
                route = self._route(state, seat, legal, needed, sum(hand))
                if route >= 0:
                    return self.payment(route, legal, hand)
            if not needed and legal >> OFFER & 1 and self._may_draw_contracts(state, seat):
                return OFFER
        return self._card(state, legal, hand, needed)

    # ---- claims -----------------------------------------------------------------------------

    def needed(self, state: State, seat: int) -> int:
        """Return the routes that the contracts of this seat still need, as a mask."""
        ground = self._ground
        contracts, owned = state.contracts[seat], state.owned[seat]
        free = ground.free(state, seat)
        plan = self._plans[seat]
        if plan is not None and plan[0] == contracts:
            rest = plan[2] & ~owned
            if not rest & ~free and not (plan[1] ^ owned) & ~plan[2]:
                return rest
        needed = plan_for(ground, contracts, owned, free, state.carts[seat])
        self._plans[seat] = (contracts, owned, needed)
        return needed

    def _route(self, state: State, seat: int, legal: int, needed: int, cards: int) -> int:
        """Return the route to claim now; -1 if it is better to wait."""
        ground = self._ground
        claims, points, lengths = ground.claims, ground.points, ground.lengths
        best, found = 0, -1
        routes = needed
        while routes:
            i = (routes & -routes).bit_length() - 1
            routes &= routes - 1
            if legal & claims[i] and lengths[i] > best:
                best, found = lengths[i], i
        if found >= 0:
            return found
        is_late = bool(state.last_turns) or state.carts[seat] <= FEW_CARTS + 2
        if needed and cards < HOARD and not is_late:
            return -1
        least = 0 if is_late else 2 if cards >= HOARD else 4
        worth = least - 1
        routes = ground.free(state, seat)
        while routes:
            i = (routes & -routes).bit_length() - 1
            routes &= routes - 1
            if legal & claims[i]:
                value = points[i] + ground.goods[i]
                if value > worth:
                    worth, found = value, i
        return found

    def payment(self, route: int, legal: int, hand: tuple[int, ...]) -> int:
        """Return the payment with the fewest wilds, in the colour of which the hand has most."""
        payable = [paid for paid in self._ground.payments[route] if legal >> paid[2] & 1]
        fewest = payable[0][0]
        return max(
            [paid for paid in payable if paid[0] == fewest],
            key=lambda paid: hand[paid[1]] if paid[1] >= 0 else 0,
        )[2]

    # ---- contracts --------------------------------------------------------------------------

    def _keep(self, state: State, seat: int) -> int:
        offer = state.offers[seat]
        if len(offer) == 1:
            return KEEP_FIRST
        ground = self._ground
        contracts, owned = state.contracts[seat], state.owned[seat]
        free, carts = ground.free(state, seat), state.carts[seat]
        turns = 0.5 * carts  # an estimate of the remaining turns
        best, action = -1e9, KEEP_FIRST
        for choice, added in (
            (KEEP_FIRST, 1 << offer[0]),
            (KEEP_SECOND, 1 << offer[1]),
            (KEEP_BOTH, 1 << offer[0] | 1 << offer[1]),
        ):
            value = promise(ground, contracts | added, owned, free, carts, turns)
            if value > best:
                best, action = value, choice
        return action

    def _may_draw_contracts(self, state: State, seat: int) -> bool:
        carts = state.carts
        if state.last_turns or state.turns < 2 * state.rules.seats:
            return False
        return min(carts) >= SPARE_CARTS

    # ---- cards ------------------------------------------------------------------------------

    def _card(self, state: State, legal: int, hand: tuple[int, ...], needed: int) -> int:
        ground = self._ground
        wants = [0.0] * (COLOURS + 1)
        most = max(range(COLOURS), key=hand.__getitem__)
        if needed:
            routes = needed
            while routes:
                i = (routes & -routes).bit_length() - 1
                routes &= routes - 1
                colour, length = ground.colours[i], ground.lengths[i]
                if colour == GREY:
                    colour = most
                lacking = length - hand[colour]
                if lacking > 0:
                    wants[colour] += length / lacking
                    wants[WILD] += 1.2
        else:
            for colour in range(COLOURS):
                wants[colour] = 0.5 + hand[colour]
            wants[WILD] = 1.5 + hand[most]
        best = sum(wants[:COLOURS]) / 7 + 0.15 * wants[WILD] if legal >> BLIND & 1 else -1.0
        action = BLIND if legal >> BLIND & 1 else -1
        is_first = state.phase == TURN
        for slot, card in enumerate(state.row):
            if legal >> (TAKE + slot) & 1:
                want = 0.45 * wants[WILD] if card == WILD and is_first else wants[card]
                if want > best:
                    best, action = want, TAKE + slot
        if action < 0:
            action = (legal & -legal).bit_length() - 1
        return action


def plan_for(ground: Ground, contracts: int, owned: int, free: int, carts: int) -> int:
    """Return the routes to claim for these contracts, most points first, within the carts."""
    listed = ground.rules.board.contracts
    wanted = []
    while contracts:
        wanted.append(listed[(contracts & -contracts).bit_length() - 1])
        contracts &= contracts - 1
    wanted.sort(key=lambda contract: -contract.points)
    needed = 0
    for contract in wanted:
        road = ground.road(owned | needed, free, contract.a, contract.b)
        if road > 0 and ground.spaces(needed | road) <= carts:
            needed |= road
    return needed


def promise(
    ground: Ground, contracts: int, owned: int, free: int, carts: int, turns: float
) -> float:
    """Return the expected points of these contracts, minus what the turns would bring anyway."""
    listed = ground.rules.board.contracts
    needed = plan_for(ground, contracts, owned, free, carts)
    effort = ground.spaces(needed) / 2 + needed.bit_count()
    hope = 1.0 if effort <= turns * 0.7 else max(0.0, 1.0 - 0.6 * (effort / (turns + 0.1) - 0.7))
    value = ground.worth(needed) - 1.6 * effort
    while contracts:
        contract = listed[(contracts & -contracts).bit_length() - 1]
        contracts &= contracts - 1
        road = ground.road(owned | needed, free, contract.a, contract.b)
        if road == 0:
            now = ground.road(owned, free, contract.a, contract.b) == 0
            sure = 1.0 if now else hope
            value += contract.points * (2 * sure - 1)
        else:
            value -= contract.points
    return value
