"""Every hidden position that fits what one seat saw happen, found by going through all of them.

Only for tiny boards. The source is the seat's own redacted history, nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import comb, prod, sqrt
from random import Random
from typing import Any

from damrak_engine.cards import NO_CARD, ONE, counts, packed, packed_counts, size, without
from damrak_engine.determinize import determinize
from damrak_engine.events import (
    Blind,
    Claim,
    Deal,
    Decision,
    Event,
    Fault,
    Flush,
    Keep,
    Offer,
    Refill,
    Reshuffle,
    Take,
)
from damrak_engine.observation import observe
from damrak_engine.rules import Rules
from damrak_engine.state import State

WILD = 6


# ---- transport cards ---------------------------------------------------------------------------

CardWorld = tuple[tuple[int, ...], int]  # the hands and the pile


class CardWorlds:
    """The hands as they may be, each with its chance, in the eyes of one seat.

    What others chose is no evidence, and neither is which of several like cards they parted with:
    each card that was not known to be in this very hand might have been the one.
    """

    def __init__(self, rules: Rules, seat: int) -> None:
        self.rules = rules
        self.seat = seat
        self.known = [0] * rules.seats  # taken from the row and not paid since
        self.certain = 0  # further cards of the other hand, if there is but one, since a reshuffle
        self.row = [NO_CARD] * 5
        self.discards = 0
        start: CardWorld = ((0,) * rules.seats, packed_counts(rules.deck))
        self.chances: dict[CardWorld, Fraction] = {start: Fraction(1)}
        self.row_changed = False

    def hear(self, history: Sequence[Event]) -> dict[CardWorld, Fraction]:
        """The worlds that fit this history, their chances adding up to one."""
        for event in history:
            if isinstance(event, Decision):
                self._look_at_row()
            self._hear(event)
        self._look_at_row()
        total = sum(self.chances.values())
        return {world: chance / total for world, chance in self.chances.items()}

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
            case _:
                assert not isinstance(event, Fault), "a leaver's hand is not in the history"

    def _draw(self, card: int | None, seat: int | None) -> None:
        after: dict[CardWorld, Fraction] = {}
        for (hands, pile), chance in self.chances.items():
            for kind, number in enumerate(counts(pile)):
                if number and card in (None, kind):
                    taken = list(hands)
                    if seat is not None:
                        taken[seat] += ONE[kind]
                    world = (tuple(taken), pile - ONE[kind])
                    share = chance * Fraction(number, size(pile))
                    after[world] = after.get(world, Fraction(0)) + share
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
        after: dict[CardWorld, Fraction] = {}
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

    def _certain(self) -> int:
        """What all worlds say the other hand holds, beyond what is known of it."""
        others = {
            sum(hands) - hands[self.seat] - sum(self.known) + self.known[self.seat]
            for hands, _ in self.chances
        }
        assert len(others) == 1, "the pile is empty, so all hidden cards are in these hands"
        return others.pop()

    def _look_at_row(self) -> None:
        """A row of wilds that was left lying says that nothing better was to be had."""
        if self.row_changed and NO_CARD not in self.row and self.row.count(WILD) >= 3:
            known = self.discards + packed(self.row)
            self.chances = {
                (hands, pile): chance
                for (hands, pile), chance in self.chances.items()
                if sum(counts(pile + known)[:WILD]) < 3
            }
        self.row_changed = False


# ---- contracts ---------------------------------------------------------------------------------

# what each seat kept, in this order; what each is choosing from; what lies under the pile
ContractWorld = tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...], tuple[int, ...]]


ContractState = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...]]


def contract_worlds(rules: Rules, history: Sequence[Event]) -> set[ContractWorld]:
    """Every way in which the contracts may lie, each as likely as the others."""
    seats = rules.seats
    everything = range(len(rules.board.contracts))
    worlds: set[ContractWorld] = {(((),) * seats, ((),) * seats, ())}
    to_choose = seats
    for event in history:
        match event:
            case Deal(contracts=offers):
                worlds = _deal(worlds, offers, everything)
            case Offer(seat=seat, contracts=ids):
                worlds = {w for world in worlds for w in _offer(world, seat, ids, everything)}
            case Keep(seat=seat, contracts=ids):
                worlds = {w for world in worlds for w in _keep(world, seat, ids)}
            case Fault(seat=seat):
                worlds = {_abandon(world, seat) for world in worlds}
        to_choose -= isinstance(event, Keep | Fault)
        if to_choose == 0 and rules.options.returned_order == "shuffled":
            worlds = {(*world[:2], order) for world in worlds for order in permutations(world[2])}
            to_choose = -1
    return worlds


def as_states(worlds: set[ContractWorld]) -> dict[ContractState, Fraction]:
    """The chances of what a state says of the contracts: hands without their order."""
    chances: dict[ContractState, Fraction] = {}
    for kept, offers, returned in worlds:
        state = (tuple(sum(1 << i for i in held) for held in kept), offers, returned)
        chances[state] = chances.get(state, Fraction(0)) + Fraction(1, len(worlds))
    return chances


def _deal(
    worlds: set[ContractWorld], offers: Sequence[tuple[int | None, ...]], everything: range
) -> set[ContractWorld]:
    found = set()
    for kept, _, returned in worlds:
        for order in permutations(everything, 2 * len(offers)):
            pairs = tuple(zip(order[::2], order[1::2], strict=True))
            if all(_fits(pair, seen) for pair, seen in zip(pairs, offers, strict=True)):
                found.add((kept, pairs, returned))
    return found


def _offer(
    world: ContractWorld, seat: int, seen: tuple[int | None, ...], everything: range
) -> Iterator[ContractWorld]:
    kept, offers, returned = world
    away = {*returned, *(i for held in (*kept, *offers) for i in held)}
    undrawn = [i for i in everything if i not in away]
    fresh = min(len(seen), len(undrawn))
    old = len(seen) - fresh
    for first in permutations(undrawn, fresh):
        drawn = (*first, *returned[:old])
        if _fits(drawn, seen):
            yield kept, _with(offers, seat, drawn), returned[old:]


def _keep(world: ContractWorld, seat: int, seen: tuple[int | None, ...]) -> Iterator[ContractWorld]:
    kept, offers, returned = world
    offer = offers[seat]
    for choice in range(1, 1 << len(offer)):
        chosen = tuple(c for i, c in enumerate(offer) if choice >> i & 1)
        if len(chosen) == len(seen) and _fits(chosen, seen):
            held = (*kept[seat], *chosen)
            rest = tuple(c for c in offer if c not in chosen)
            yield _with(kept, seat, held), _with(offers, seat, ()), (*returned, *rest)


def _abandon(world: ContractWorld, seat: int) -> ContractWorld:
    kept, offers, returned = world
    return kept, _with(offers, seat, ()), (*returned, *offers[seat])


def _with(items: tuple, index: int, item: object) -> tuple:  # type: ignore[type-arg]
    return (*items[:index], item, *items[index + 1 :])


def _fits(ids: tuple[int, ...], seen: tuple[int | None, ...]) -> bool:
    return all(shown in (None, i) for i, shown in zip(ids, seen, strict=True))


# ---- samples -----------------------------------------------------------------------------------


def sampled(
    state: State, seat: int, look: Callable[[State], Any], number: int = 1200
) -> Counter[Any]:
    """What there is to see in so many states drawn for a seat."""
    random = Random(seat)
    seen = observe(state, seat)
    return Counter(look(determinize(seen, random)) for _ in range(number))


def assert_drawn_from(chances: Mapping[Any, Fraction], sample: Counter[Any]) -> None:
    """Assert that the sample has nothing impossible, lacks nothing likely, and fits by chi-square.

    The bound is about six standard deviations: samples are seeded, so they pass for ever or never.
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
