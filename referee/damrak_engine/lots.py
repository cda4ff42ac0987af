"""From which part of the pile each card of the other hands came, as one seat may believe.

A *lot* is what the others received unseen between two of the moments that `hoards` notes. Which
cards it was is known where it ends with a reshuffle; wilds that were left to lie leave a few ways
open. Each hand has its number of each lot, and all ways to deal a lot out are equally likely. Only
payments blur them: of a kind that is in several lots, every single card in the hand might have been
the one. So the payments are gone through kind by kind, noting how likely each split among the lots
has become, and one way through them is then drawn from its end.
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

# For each lot in turn: what is left of it, of the kinds that are still to be paid; how many cards
# of it each seat has paid, sixteen bits a seat.
Split = tuple[int, ...]
Level = dict[Split, tuple[float, list[tuple[Split, float]]]]  # how likely, and from which before


class Rng(Protocol):
    """The part of `random.Random` that is used."""

    def randrange(self, stop: int, /) -> int:
        """A whole number below `stop`."""
        ...

    def shuffle(self, x: Any, /) -> None:
        """Bring a list into a random order."""
        ...


class Lots:
    """What an observation says of the lots, and of the payments since the first moment noted."""

    def __init__(self, seen: Observation, unseen: int) -> None:
        self.seats = seen.rules.seats
        self.steps: list[tuple[int, int, int, int]] = []  # payments: seat, received, kind, number
        certain = size(seen.floor) if self.seats == 2 else 0
        sizes = seen.hand_sizes or seen.counted_sizes
        self.received = [0] * self.seats  # unseen, by now
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
        self.levels: list[Level] = []  # found when they are needed

    def _cut(self, seen: Observation, rest: int) -> None:
        """Find the ends of the lots, and every way in which the cards may be in them."""
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
        """How many of the first cards that a seat received were of this lot."""
        until = received
        if lot < len(self.ends):
            until = min(until, self.ends[lot][seat])
        if lot:
            until -= self.ends[lot - 1][seat]
        return max(0, until)

    def drawn(self, rng: Rng) -> tuple[list[int], list[list[int]]]:
        """The cards of each lot; which of them each seat has paid, lot by lot."""
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
        """How likely every split is before each step and after the last, and from which it came."""
        masks = [0]  # the kinds that are paid after each step, from the last one back
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
        """What this step can make of a split: how likely it is to hold, and show, these cards."""
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
    """Hands of these sizes, dealt from these cards."""
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
    """The ways to cut the cards of one pile into lots where wilds were left to lie, with weights.

    For each cut: these cards with those that have been seen since then, how many of them were in
    the other hands, and the most of the rest that are no wilds.
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
    """So many of these cards, at most so many of them no wilds; and in how many ways."""
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
    """One of these splits, each as likely as it says in proportion."""
    if len(choices) == 1:
        return choices[0][0]
    lot = rng.randrange(FINE) / FINE * sum([chance for _, chance in choices])
    for split, chance in choices:
        lot -= chance
        if lot < 0:
            return split
    return choices[-1][0]
