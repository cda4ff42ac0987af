"""Lots: the parts of the pile from which the cards of the other hands came, as one seat infers.

A *lot* is what the other seats received unseen between two of the moments that `hoards` records.
Its cards are known if it ends with a reshuffle; wilds that stayed in the row leave a few
possibilities. Each hand has a known number of cards of each lot, and all ways to deal out a lot are
equally likely. Only payments blur this: if a kind is in several lots, each of its cards in the hand
might have been the one paid. So the payments are processed kind by kind, with the likelihood of
each split among the lots, and one path through them is then drawn backwards from the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, perm, prod
from typing import Any, Final, Protocol

from damrak_engine.cards import (
    BITS,
    COUNT,
    PLAIN,
    WILD,
    WILD_SHIFT,
    count,
    counts,
    packed,
    packed_of,
    size,
    unpacked,
)
from damrak_engine.hoards import RESHUFFLED
from damrak_engine.observation import Observation

FINE: Final = 1 << 53
SEAT_BITS: Final = 16
SEAT_COUNT: Final = (1 << SEAT_BITS) - 1

# For each lot in turn: its remaining cards of the kinds still to be paid, and the number of its
# cards that each seat has paid, sixteen bits per seat.
Split = tuple[int, ...]
Level = dict[Split, tuple[float, list[tuple[Split, float]]]]  # likelihood and origins


class Rng(Protocol):
    """The methods of `random.Random` that the engine uses."""

    def randrange(self, stop: int, /) -> int:
        """Return a random whole number from 0 to `stop - 1`."""
        ...

    def shuffle(self, x: Any, /) -> None:
        """Shuffle a list in place."""
        ...


class Lots:
    """The lots of an observation, and the payments since the first recorded moment."""

    def __init__(self, seen: Observation, unseen: int) -> None:
        self.seats = seen.rules.seats
        self.steps: list[tuple[int, int, int, int]] = []  # payments: seat, received, kind, number
        certain = size(seen.floor) if self.seats == 2 else 0
        sizes = seen.hand_sizes or seen.counted_sizes
        self.received = [0] * self.seats  # unseen, so far
        for seat in range(self.seats):
            self.received[seat] = sizes[seat] - size(seen.known[seat]) - certain
        paid = 0
        for seat, received, cards in seen.shown:
            self.received[seat] += size(cards)
            if seat != seen.seat:
                paid += cards
                for kind, number in enumerate(counts(cards)):
                    if number:
                        self.steps.append((seat, received, kind, number))
        self._cut(seen, unseen + paid)
        self.levels: list[Level] = []  # computed on demand

    def _cut(self, seen: Observation, rest: int) -> None:
        """Find the ends of the lots and all their possible contents."""
        self.ends: list[list[int]] = []  # how many cards each seat had received by then
        self.contents: list[tuple[Split, float]] = [((), 1.0)]
        before = [0] * self.seats
        cuts: list[tuple[int, int, int]] = []
        for at, plain in enumerate(seen.old_plain):
            sizes = seen.old_sizes[at * self.seats : (at + 1) * self.seats]
            self.ends.append([earlier + more for earlier, more in zip(before, sizes, strict=True)])
            if plain == RESHUFFLED:
                self._add(_divided(seen.old[at], cuts))
                rest -= seen.old[at]
                before = self.ends[-1]
                cuts = []
            else:
                cuts.append((seen.old[at], sum(sizes) - sizes[seen.seat], plain))
        self._add(_divided(rest, cuts))

    def _add(self, following: list[tuple[Split, float]]) -> None:
        self.contents = [
            (lots + more, likely * chance)
            for lots, likely in self.contents
            for more, chance in following
        ]

    def share(self, lot: int, seat: int, received: int) -> int:
        """Return how many of the first `received` cards of a seat were of this lot."""
        until = received
        if lot < len(self.ends):
            until = min(until, self.ends[lot][seat])
        if lot:
            until -= self.ends[lot - 1][seat]
        return max(0, until)

    def drawn(self, rng: Rng) -> tuple[list[int], list[list[int]]]:
        """Draw and return the cards of each lot and, lot by lot, those that each seat has paid."""
        if not self.levels:
            self.levels = self._levels()
        levels = self.levels
        split = _drawn([(split, likely) for split, (likely, _) in levels[-1].items()], rng)
        paid = [[0] * self.seats for _ in range(len(self.ends) + 1)]
        for i in range(len(self.steps) - 1, -1, -1):
            seat, _, kind, _ = self.steps[i]
            before = _drawn(levels[i + 1][split][1], rng)
            for lot, cards in enumerate(paid):
                used = split[2 * lot + 1] - before[2 * lot + 1]
                cards[seat] += packed_of(used >> SEAT_BITS * seat, kind)
            split = before
        return list(_drawn(levels[0][split][1], rng)), paid

    def _levels(self) -> list[Level]:
        """Return the likelihood and origins of every split before each step and after the last."""
        masks = [0]  # the kinds paid after each step, from the last step backwards
        for _, _, kind, _ in reversed(self.steps):
            masks.append(masks[-1] | COUNT << BITS * kind)
        level: Level = {}
        for lots, likely in self.contents:
            start: list[int] = []
            for cards in lots:
                start += [cards & masks[-1], 0]
            _reach(level, tuple(start), likely, lots)
        sizes = [size(cards) for cards in self.contents[0][0]]
        levels = [level]
        for i, step in enumerate(self.steps):
            following: Level = {}
            for split, (likely, _) in level.items():
                for after, chance in self._ways(split, step, sizes, masks[-2 - i]):
                    _reach(following, after, likely * chance, split)
            total = sum([likely for likely, _ in following.values()])
            level = {split: (likely / total, by) for split, (likely, by) in following.items()}
            levels.append(level)
        return levels

    def _ways(
        self, split: Split, step: tuple[int, int, int, int], sizes: list[int], mask: int
    ) -> list[tuple[Split, float]]:
        """Return the splits after a step and the likelihood of holding and showing its cards."""
        seat, received, kind, number = step
        found: list[tuple[int, float, Split]] = [(0, 1.0, ())]
        for lot in range(len(sizes)):
            left, used = split[2 * lot], split[2 * lot + 1]
            of_kind = count(left, kind)
            held = 0
            if of_kind:
                held = self.share(lot, seat, received) - (used >> SEAT_BITS * seat & SEAT_COUNT)
            if not held:
                found = [
                    (taken, chance, (*head, left & mask, used)) for taken, chance, head in found
                ]
                continue
            among = sizes[lot] - sum(
                [used >> SEAT_BITS * i & SEAT_COUNT for i in range(self.seats)]
            )
            grown = []
            for taken, chance, head in found:
                for n in range(min(number - taken, of_kind, held) + 1):
                    shown = chance * comb(of_kind, n) * perm(held, n) / perm(among, n)
                    rest = left - packed_of(n, kind) & mask
                    grown.append((taken + n, shown, (*head, rest, used + (n << SEAT_BITS * seat))))
            found = grown
        return [(after, chance) for taken, chance, after in found if taken == number]


def dealt_out(cards: int, sizes: list[int], rng: Rng) -> list[int]:
    """Deal hands of these sizes from these cards."""
    rest = unpacked(cards)
    rng.shuffle(rest)
    hands = []
    for number in sizes:
        hands.append(packed(rest[:number]))
        del rest[:number]
    return hands


def _reach(level: Level, split: Split, likely: float, before: Split) -> None:
    total, origins = level.get(split, (0.0, []))
    origins.append((before, likely))
    level[split] = (total + likely, origins)


def _divided(cards: int, cuts: list[tuple[int, int, int]]) -> list[tuple[Split, float]]:
    """Return the weighted ways to cut one pile into lots at moments when wilds stayed in the row.

    For each cut: these cards plus those seen since then, how many of them were in the other hands,
    and the maximum number of non-wild cards among the rest.
    """
    found: list[tuple[Split, int, float]] = [((), cards, 1.0)]
    for until, held, plain in cuts:
        rest = size(cards) - held
        most = plain - size(until - cards & PLAIN)
        found = [
            ((*lots, left - part), part, likely * ways)
            for lots, left, likely in found
            for part, ways in _parts(left, rest, most)
        ]
    return [((*lots, left), likely) for lots, left, likely in found]


def _parts(cards: int, number: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the choices of `number` cards with at most `most` non-wilds, and their ways."""
    parts = [(0, 0, 1)]
    for kind in range(WILD):
        of_kind = count(cards, kind)
        parts = [
            (part + packed_of(n, kind), plain + n, prod((ways, comb(of_kind, n))))
            for part, plain, ways in parts
            for n in range(min(of_kind, most - plain, number - plain) + 1)
        ]
    wilds = cards >> WILD_SHIFT
    for part, plain, ways in parts:
        if number - plain <= wilds:
            yield part + packed_of(number - plain, WILD), prod((ways, comb(wilds, number - plain)))


def _drawn(choices: list[tuple[Split, float]], rng: Rng) -> Split:
    """Draw one of these splits in proportion to its likelihood."""
    if len(choices) == 1:
        return choices[0][0]
    lot = rng.randrange(FINE) / FINE * sum([chance for _, chance in choices])
    for split, chance in choices:
        lot -= chance
        if lot < 0:
            return split
    return choices[-1][0]
