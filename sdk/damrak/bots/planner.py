"""The house bot `planner`: builds the networks that its contracts need in as few turns as it can.

The value of an open route is its points, a part of the goods bonus, and, if the plan needs it, its
share of the contracts. The value divided by the turns it takes is the rate of the route. The bot
pursues the route with the best rate: it claims it if it can, and otherwise collects cards for it.

It decides from an observation and keeps only cached results, so that a search can use one instance
for the moves of all seats.
"""

from __future__ import annotations

from typing import Final

from damrak.bot import Bot, MatchInfo
from damrak.bots.chart import bits, chart_of, make_room
from damrak.bots.offers import Offers
from damrak.bots.plan import NOTHING, Plan, Plans
from damrak.view import View
from damrak_engine.actions import BLIND, OFFER, TAKE
from damrak_engine.cards import COLOURS, GREY, NO_CARD, WILD, counts, packed, packed_counts
from damrak_engine.observation import Observation
from damrak_engine.position import KEEP, SETUP, TURN
from damrak_engine.rules import Rules
from damrak_engine.scoring import contract_points, goods_points

GOODS: Final = 0.4  # the part of a possible goods bonus that a goods card counts for now
SHARE: Final = 1.3  # the weight of a contract relative to its points
SPENT: Final = 0.3  # the cost in turns of a card spent from the hand
OPTIMISM: Final = 1.5  # the factor by which the game may last longer than expected
SECOND_CARD: Final = 0.6  # the part of a second card's use that is lost by taking a wild
SETUP_TURNS: Final = 15  # the expected turns of a seat at the start of the game
COLLECT: Final = 4  # the number of missing cards to collect in advance
NEVER: Final = float("inf")
FEW_CARTS: Final = 2  # the last round is announced when a seat has at most this number of carts

Wish = tuple[float, int, int]  # rate, route, cards missing


class Planner:
    """Decides on one board, for any of its seats."""

    def __init__(self, rules: Rules) -> None:
        self.chart = chart_of(rules)
        self.plans = Plans(self.chart)
        self.offers = Offers(self.chart, self.plans)
        self._rules = rules
        self._latest: list[tuple[int, int, int, Plan]] = [(0, 0, -1, NOTHING)] * rules.seats
        self._goods: dict[tuple[int, tuple[int, ...]], float] = {}

    def decide(self, seen: Observation, legal: int) -> int:
        """Return the action out of this mask with the highest estimated value."""
        if seen.phase in (SETUP, KEEP):
            turns = SETUP_TURNS if seen.phase == SETUP else int(self.turns_left(seen) + 0.5)
            return self.offers.keep(seen, turns)
        if seen.phase == TURN and self.turns_left(seen) <= 1:
            return self._last_turn(seen, legal)
        hand = counts(seen.hand)
        wishes = self.wishes(seen, legal, hand)
        if seen.phase == TURN:
            rate, route, lacking = wishes[0] if wishes else (0.0, -1, 1)
            if legal >> OFFER & 1 and self._worth_of_drawing(seen) > rate:
                return OFFER
            if not lacking:
                return self.chart.cheapest_payment(route, legal, hand)
        return self._draw(seen, legal, self._uses(wishes, hand))

    def turns_left(self, seen: Observation) -> float:
        """Return the number of turns that the seat will still have, including this one."""
        if seen.last_turns:
            return 1.0
        left = NEVER
        for seat in range(self._rules.seats):
            to_lay = seen.carts[seat] - FEW_CARTS
            if to_lay > 0 and not seen.gone >> seat & 1:
                cards = seen.hand_sizes[seat] if seen.hand_sizes else COLLECT
                claims = 1.3 * max(to_lay / 4, 1)
                left = min(left, max(0, to_lay - cards) / 2 + claims)
        if left == NEVER:  # few carts from the start: the end of any turn announces the last round
            left = 1.0
        if self._rules.turn_limit:
            left = min(left, (self._rules.turn_limit - seen.turns - 1) / self._rules.seats)
        return left + 1

    def plan(self, seen: Observation) -> Plan:
        """Return the plan for the contracts of the seat, reusing the previous one while valid."""
        seat = seen.seat
        owned, free = seen.owned[seat], self.chart.open_routes(seen)
        turns = int(self.turns_left(seen) * OPTIMISM + 0.5)
        had, were_free, contracts, plan = self._latest[seat]
        claimed, opened = owned & ~had, free & ~were_free
        # If only planned routes were claimed and none became available, the plan is still the best.
        if contracts == seen.contracts and not (had & ~owned | claimed & ~plan.routes | opened):
            rest = self.plans.still_good(plan, owned, free, turns)
            if rest is not None:
                return rest
        plan = self.plans.best(owned, free, seen.contracts, seen.carts[seat], turns)
        self._latest[seat] = (owned, free, seen.contracts, plan)
        return plan

    def wishes(self, seen: Observation, legal: int, hand: tuple[int, ...]) -> list[Wish]:
        """Return the open routes with their rates and the cards they lack, best first."""
        chart = self.chart
        plan = self.plan(seen)
        share = SHARE * plan.gain / (chart.spaces(plan.routes) or 1)
        goods = self._goods_value(seen)
        wilds, most = hand[WILD], max(hand[:COLOURS])
        wishes: list[Wish] = []
        for i, bit, length, colour, has_goods in chart.facts(chart.open_routes(seen)):
            value = float(chart.points[i])
            if has_goods:
                value += goods
            if plan.routes & bit:
                value += share * length
            lacking = length - wilds - (most if colour == GREY else hand[colour])
            if lacking < 0:
                lacking = 0
            if lacking == 0 and seen.phase == TURN and not legal & chart.claims[i]:
                lacking = 1  # the wilds would have to pay alone, which is not allowed
            turns = 1 + (lacking + 1 >> 1) + SPENT * (length - lacking)
            wishes.append((value / turns, i, lacking))
        wishes.sort(reverse=True)
        return wishes

    def _goods_value(self, seen: Observation) -> float:
        """Return the value of one more goods card in the race for the bonus."""
        if seen.goods_left <= 0 and not self._rules.virtual_goods:
            return 0.0
        key = (seen.seat, seen.goods)
        value = self._goods.get(key)
        if value is None:
            make_room(self._goods)
            bonus = self._rules.board.goods_bonus[self._rules.seats]
            more = [n + (seat == seen.seat) for seat, n in enumerate(seen.goods)]
            now, then = goods_points(list(seen.goods), bonus), goods_points(more, bonus)
            rivals = [seat for seat in range(self._rules.seats) if seat != seen.seat]
            rival = max(rivals, key=lambda seat: now[seat])
            swing = then[seen.seat] - now[seen.seat] - (then[rival] - now[rival])
            value = self._goods[key] = GOODS * (max(0, swing) + 1)
        return value

    def _worth_of_drawing(self, seen: Observation) -> float:
        turns = self.turns_left(seen) - 1
        return self.offers.of_drawing(seen, self.chart.open_routes(seen), turns)

    def _last_turn(self, seen: Observation, legal: int) -> int:
        """Return the action that scores most immediately."""
        chart, board = self.chart, self._rules.board
        owned = seen.owned[seen.seat]
        goods = self._goods_value(seen)
        now = contract_points(board, owned, seen.contracts)
        best, action = 0.0, 0
        for i, claims in enumerate(chart.claims):
            if legal & claims:
                then = contract_points(board, owned | 1 << i, seen.contracts)
                value = chart.points[i] + then - now + goods * chart.routes[i].goods
                if value > best:
                    best = value
                    action = chart.cheapest_payment(i, legal, counts(seen.hand))
        if legal >> OFFER & 1 and self.offers.of_drawing(seen, 0, 0) > best:
            return OFFER
        return action or next(bits(legal))

    # ---- drawing cards ----------------------------------------------------------------------

    def _uses(self, wishes: list[Wish], hand: tuple[int, ...]) -> list[float]:
        """Return the usefulness of one more card of each kind.

        The hand is assigned to the routes from the best down; cards that they still lack are
        useful.
        """
        uses = [0.0] * (COLOURS + 1)
        left = list(hand)
        ahead = COLLECT
        for rate, i, _ in wishes[:6]:
            route = self.chart.routes[i]
            colour = route.colour
            if colour == GREY:
                colour = left.index(max(left[:COLOURS]))
            used = min(route.length, left[colour])
            wilds = min(route.length - used, left[WILD])
            left[colour] -= used
            left[WILD] -= wilds
            lacking = route.length - used - wilds
            if lacking:
                uses[colour] = max(uses[colour], rate / lacking)
                uses[WILD] = max(uses[WILD], rate / lacking)
                ahead -= lacking
                if ahead <= 0:
                    break
        return uses

    def _draw(self, seen: Observation, legal: int, uses: list[float]) -> int:
        """Return the most useful draw.

        A blind card counts as the average of the cards that may be in the pile.
        """
        blind = 0.0
        if legal >> BLIND & 1:
            pool = self._pool(seen)
            blind = sum([n * use for n, use in zip(pool, uses, strict=True)]) / sum(pool)
        best, second, action = blind, blind, BLIND if legal >> BLIND & 1 else -1
        wild = -1
        for slot, card in enumerate(seen.row):
            if not legal >> TAKE + slot & 1:
                continue
            if card == WILD:
                wild = TAKE + slot
            elif uses[card] > best or action < 0:
                best, second, action = uses[card], best, TAKE + slot
            else:
                second = max(second, uses[card])
        if wild >= 0 and (action < 0 or uses[WILD] > best + SECOND_CARD * second):
            return wild
        return action if action >= 0 else next(bits(legal))

    def _pool(self, seen: Observation) -> tuple[int, ...]:
        """Return the cards from which the next blind card is drawn."""
        if not seen.pile_size:
            return counts(seen.discards)
        known = sum(seen.known) - seen.known[seen.seat] + seen.floor
        row = packed([card for card in seen.row if card != NO_CARD])
        return counts(packed_counts(self._rules.deck) - seen.hand - seen.discards - row - known)


class PlannerBot(Bot):
    """Plans for its contracts and claims what pays best per turn."""

    name = "planner"

    def start(self, match: MatchInfo) -> None:
        self.planner = Planner(match.rules)

    def choose(self, view: View) -> int:
        return self.planner.decide(view.observation, sum(1 << action for action in view.legal))
