"""All card distributions that are consistent with the events that one seat saw, by enumeration.

Only for tiny boards. The source is the seat's own redacted history, nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import comb, prod, sqrt
from random import Random
from typing import Any

from damrak_engine.cards import NO_CARD, ONE, counts, packed, packed_counts, size, without
from damrak_engine.deal import blank
from damrak_engine.determinize import determinize
from damrak_engine.events import (
    Blind,
    Claim,
    Deal,
    Decision,
    Event,
    Fault,
    Flush,
    Pass,
    Refill,
    Reshuffle,
    Take,
)
from damrak_engine.observation import Observation, observe
from damrak_engine.rules import Rules
from damrak_engine.state import State
from oracle import claims

WILD = 6


CardWorld = tuple[tuple[int, ...], int]  # the hands and the pile


class CardWorlds:
    """The possible hands, each with its weight, from the perspective of one seat.

    Weights are proportional to probabilities. The pile has the same size in all worlds, so a draw
    multiplies the weight by the number of equal cards: integers are faster than fractions.

    The choices of other seats are not evidence, and neither is which of several equal cards they
    gave away: each card that was not known to be in this very hand might have been the one.
    """

    def __init__(self, rules: Rules, seat: int) -> None:
        self.rules = rules
        self.seat = seat
        self.known = [0] * rules.seats  # taken from the row and not paid since
        self.certain = 0  # further cards of the other hand since a reshuffle, if there is only one
        self.row = [NO_CARD] * 5
        self.discards = 0
        start: CardWorld = ((0,) * rules.seats, packed_counts(rules.deck))
        self.chances: dict[CardWorld, int] = {start: 1}
        self.row_changed = False
        self.table = blank(rules)  # with the routes and carts of all seats
        self.narrowed = False  # after a pass

    def hear(self, history: Sequence[Event]) -> dict[CardWorld, Fraction]:
        """Return the worlds that are consistent with this history, with their probabilities."""
        for event in history:
            if isinstance(event, Decision):
                self._look_at_row()
            self._hear(event)
        self._look_at_row()
        total = sum(self.chances.values())
        return {world: Fraction(chance, total) for world, chance in self.chances.items()}

    def _hear(self, event: Event) -> None:
        match event:
            case Deal(hands=hands, row=row):
                for number in range(2):
                    for seat, cards in enumerate(hands):
                        self._draw(cards[number], seat)
                for slot, card in enumerate(row):
                    self._draw(card, None)
                    self.row[slot] = NO_CARD if card is None else card
                self.row_changed = True
            case Blind(seat=seat, card=card):
                self._draw(card, seat)
            case Take(seat=seat, slot=slot, card=card):
                self.row[slot] = NO_CARD
                self._take(seat, card)
                self.row_changed = True
            case Refill(slot=slot, card=card):
                self._draw(card, None)
                self.row[slot] = card
            case Reshuffle():
                self.chances = {
                    (hands, self.discards): chance
                    for (hands, pile), chance in self.chances.items()
                    if not pile
                }
                self.discards = 0
                self.certain = self._certain() if self.rules.seats == 2 else 0
            case Flush(cards=cards):
                self.discards += packed([card for card in cards if card is not None])
                self.row = [NO_CARD] * 5
            case Claim(seat=seat, colour=colour, wilds=wilds, route=route):
                cost = wilds * ONE[WILD]
                if colour is not None:
                    cost += (self.rules.board.routes[route].length - wilds) * ONE[colour]
                self._pay(seat, cost)
                self.discards += cost
                self.row_changed = True
                self.table.owned[seat] |= 1 << route
                self.table.carts[seat] -= self.rules.board.routes[route].length
            case Pass(seat=seat):
                assert self.rules.options.second_card != "optional", "it may be half a turn"
                if self.rules.options.pass_ == "forced_only":
                    self._pass(seat)
            case _:
                assert not isinstance(event, Fault), "a leaver's hand is not in the history"

    def _draw(self, card: int | None, seat: int | None) -> None:
        assert len({size(pile) for _, pile in self.chances}) <= 1
        after: dict[CardWorld, int] = {}
        for (hands, pile), chance in self.chances.items():
            for kind, number in enumerate(counts(pile)):
                if number and card in (None, kind):
                    taken = hands
                    if seat is not None:
                        taken = (*hands[:seat], hands[seat] + ONE[kind], *hands[seat + 1 :])
                    world = (taken, pile - ONE[kind])
                    after[world] = after.get(world, 0) + chance * number
        self.chances = after

    def _take(self, seat: int, card: int) -> None:
        self.known[seat] += ONE[card]
        self.chances = {
            ((*hands[:seat], hands[seat] + ONE[card], *hands[seat + 1 :]), pile): chance
            for (hands, pile), chance in self.chances.items()
        }

    def _pay(self, seat: int, cost: int) -> None:
        known = self.known[seat]
        self.known[seat] = without(known, cost)
        surprise = without(cost, known)
        certain = 0 if seat == self.seat else self.certain
        after: dict[CardWorld, int] = {}
        for (hands, pile), chance in self.chances.items():
            if without(cost, hands[seat]) == 0:
                paid = counts(without(surprise, certain))
                loose = counts(without(hands[seat] - known, certain))
                ways = prod(comb(own, number) for own, number in zip(loose, paid, strict=True))
                moved = (*hands[:seat], hands[seat] - cost, *hands[seat + 1 :])
                after[moved, pile] = chance * (1 if seat == self.seat else ways)
        self.chances = after
        if seat != self.seat:
            self.certain = without(self.certain, surprise)

    def _pass(self, seat: int) -> None:
        """Exclude the worlds in which a seat that passes could pay."""
        helpless: dict[int, bool] = {}
        for hands, _ in self.chances:
            if hands[seat] not in helpless:
                self.table.hands[seat] = hands[seat]
                helpless[hands[seat]] = not claims(self.table, seat)
        self.narrowed |= not all(helpless.values())
        self.chances = {
            (hands, pile): chance
            for (hands, pile), chance in self.chances.items()
            if helpless[hands[seat]]
        }

    def _certain(self) -> int:
        """Return the cards of the other hand on which all worlds agree, beyond the known ones."""
        others = {
            sum(hands) - hands[self.seat] - sum(self.known) + self.known[self.seat]
            for hands, _ in self.chances
        }
        assert len(others) == 1, "the pile is empty, so all hidden cards are in these hands"
        return others.pop()

    def _look_at_row(self) -> None:
        """Apply that a row of wilds is only kept if there was no better one."""
        if self.row_changed and NO_CARD not in self.row and self.row.count(WILD) >= 3:
            known = self.discards + packed(self.row)
            self.chances = {
                (hands, pile): chance
                for (hands, pile), chance in self.chances.items()
                if sum(counts(pile + known)[:WILD]) < 3
            }
        self.row_changed = False


# ---- samples -----------------------------------------------------------------------------------


Draw = Callable[[Observation, Random], State]


def sampled(
    state: State,
    seat: int,
    look: Callable[[State], Any],
    number: int = 1200,
    draw: Draw = determinize,
) -> Counter[Any]:
    """Return the counts of `look` over `number` states drawn for a seat."""
    random = Random(seat)
    seen = observe(state, seat)
    return Counter(look(draw(seen, random)) for _ in range(number))


def assert_drawn_from(chances: Mapping[Any, Fraction], sample: Counter[Any]) -> None:
    """Assert that the sample has nothing impossible, lacks nothing likely, and fits by chi-square.

    The bound is about six standard deviations: samples are seeded, so the result never changes.
    """
    number = sample.total()
    impossible = set(sample) - set(chances)
    assert not impossible, f"impossible, but drawn: {sorted(impossible)[:3]}"
    statistic, bins = 0.0, 0
    rare_expected, rare_drawn = 0.0, 0
    for world, chance in chances.items():
        expected = float(chance) * number
        if expected < 5:
            rare_expected, rare_drawn = rare_expected + expected, rare_drawn + sample[world]
        else:
            statistic, bins = statistic + (sample[world] - expected) ** 2 / expected, bins + 1
    if rare_expected:
        statistic += (rare_drawn - rare_expected) ** 2 / max(rare_expected, 1.0)
        bins += 1
    freedom = max(bins - 1, 0)
    rounding = 1e-9
    assert statistic <= freedom + 6 * sqrt(2 * freedom) + 6 * (freedom > 0) + rounding, (
        f"chi-square {statistic:.0f} at {freedom} degrees of freedom"
    )


def hands_of(worlds: Mapping[CardWorld, Fraction]) -> dict[tuple[int, ...], Fraction]:
    """Return the probabilities of the hands."""
    chances: dict[tuple[int, ...], Fraction] = {}
    for (hands, _), chance in worlds.items():
        chances[hands] = chances.get(hands, Fraction(0)) + chance
    return chances
