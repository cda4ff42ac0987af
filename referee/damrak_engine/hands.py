"""The cards of the other hands and of the pile, drawn as one seat may believe them to lie.

When the discards are reshuffled the pile is empty: what a seat does not see is in the other hands.
With two seats nothing more need be known than how much of that is still there. With more, lots of
cards are told apart: those that the others had received unseen by one reshuffle, and from there to
the next; each hand has its number of each lot. Only payments blur them. Of a kind that is in
several lots, every single card in the hand might have been the one; so the payments are gone
through kind by kind, noting how likely each split among the lots has become, and one way through
them is then drawn from its end.
"""

from __future__ import annotations

from math import comb, perm
from typing import Any, Final, Protocol

from damrak_engine.cards import (
    BITS,
    KINDS,
    NO_CARD,
    ONE,
    WILD,
    Card,
    count,
    counts,
    packed,
    packed_counts,
    size,
    unpacked,
)
from damrak_engine.observation import Observation
from damrak_engine.state import State

MOST_SPLITS: Final = 10_000  # the likeliest are kept; games have been seen to need a few dozen
FINE: Final = 1 << 53

# For each lot in turn: what is left of it; how many of it each seat has paid, eight bits a seat.
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


def place_cards(state: State, seen: Observation, rng: Rng) -> None:
    """Fill hands and pile, every way in which the single cards can lie equally likely."""
    others = [seat for seat in range(state.rules.seats) if seat != seen.seat]
    visible = seen.hand + seen.discards + packed([card for card in seen.row if card < KINDS])
    visible += sum([seen.known[seat] for seat in others])
    unseen = packed_counts(state.rules.deck) - visible
    if seen.old:
        _place_lots(state, seen, others, unseen, rng)
        return
    pile = packed(_pile_cards(unseen - seen.floor, seen, rng))
    sizes = _hidden_sizes(seen, others, size(unseen) - seen.pile_size, rng)
    hidden = _dealt(unseen - pile, sizes, rng)
    _lay(state, seen, pile)
    for seat, cards in zip(others, hidden, strict=True):
        state.hands[seat] += cards


def _lay(state: State, seen: Observation, pile: int) -> None:
    state.pile = list(counts(pile))
    state.pile_size = seen.pile_size
    state.hands = list(seen.known)
    state.hands[seen.seat] = seen.hand


def _dealt(cards: int, sizes: list[int], rng: Rng) -> list[int]:
    """Hands of these sizes, dealt from these cards."""
    rest = unpacked(cards)
    rng.shuffle(rest)
    hands = []
    for number in sizes:
        hands.append(packed(rest[:number]))
        del rest[:number]
    return hands


def _pile_cards(loose: int, seen: Observation, rng: Rng) -> list[Card]:
    """The pile, drawn from the cards of which nothing is known."""
    cards = unpacked(loose)
    rng.shuffle(cards)
    if seen.row.count(WILD) < 3 or NO_CARD in seen.row or seen.rules.flush_limit >= 0:
        return cards[: seen.pile_size]
    # These wilds were left to lie, so there are fewer than three other cards outside the hands.
    wilds = [card for card in cards if card == WILD]
    plain = [card for card in cards if card != WILD]
    shown = counts(seen.discards + packed(seen.row))
    most = min(2 - sum(shown[:WILD]), seen.pile_size)
    ways = [comb(len(plain), n) * comb(len(wilds), seen.pile_size - n) for n in range(most + 1)]
    if not sum(ways):  # a thousand flushes in a row had not helped
        return cards[: seen.pile_size]
    number, lot = 0, rng.randrange(sum(ways))
    while lot >= ways[number]:
        lot -= ways[number]
        number += 1
    return plain[:number] + wilds[: seen.pile_size - number]


def _hidden_sizes(seen: Observation, others: list[int], hidden: int, rng: Rng) -> list[int]:
    if seen.hand_sizes is not None:
        return [seen.hand_sizes[seat] - size(seen.known[seat]) for seat in others]
    sizes = [0] * len(others)
    present = [i for i, seat in enumerate(others) if not seen.gone >> seat & 1]
    for _ in range(hidden):
        sizes[present[rng.randrange(len(present))]] += 1
    return sizes


# ---- lots, with three or four seats ------------------------------------------------------------


class _Lots:
    """The cards that the others received unseen before, between and after the reshuffles."""

    def __init__(self, seen: Observation, unseen: int) -> None:
        self.seats = seen.rules.seats
        self.sizes = seen.old_sizes
        self.steps: list[tuple[int, int, int, int]] = []  # payments: seat, hoard, kind, number
        self.received = [0] * self.seats  # by now
        assert seen.hand_sizes is not None
        for seat in range(self.seats):
            self.received[seat] = seen.hand_sizes[seat] - size(seen.known[seat])
        paid = 0
        for seat, received, cards in seen.shown:
            self.received[seat] += size(cards)
            if seat != seen.seat:
                paid += cards
                for kind, number in enumerate(counts(cards)):
                    if number:
                        self.steps.append((seat, received, kind, number))
        self.cards = [seen.old[0]]
        for before, by_then in zip(seen.old, seen.old[1:], strict=False):
            self.cards.append(by_then - before)
        self.cards.append(unseen + paid - seen.old[-1])  # with the pile, which they may yet get

    def share(self, lot: int, seat: int, received: int) -> int:
        """How many of the first cards that a seat received were of this lot."""
        until = received
        if lot < len(self.cards) - 1:
            until = min(until, self.sizes[lot * self.seats + seat])
        if lot:
            until -= self.sizes[(lot - 1) * self.seats + seat]
        return max(0, until)


def _place_lots(state: State, seen: Observation, others: list[int], unseen: int, rng: Rng) -> None:
    lots = _Lots(seen, unseen)
    splits = _course(lots, rng)
    last = splits[-1]
    pile = packed(_pile_cards(last[-2], seen, rng))
    _lay(state, seen, pile)
    hoards = [0] * state.rules.seats
    all_hoards = []
    own = _own_cards(seen)
    for lot in range(len(lots.cards)):
        for i, step in enumerate(lots.steps):
            hoards[step[0]] += splits[i][2 * lot] - splits[i + 1][2 * lot]
        left, used = last[2 * lot], last[2 * lot + 1]
        if lot == len(lots.cards) - 1:
            left -= pile
        sizes = [lots.share(lot, seat, lots.received[seat]) - count(used, seat) for seat in others]
        for seat, cards in zip(others, _dealt(left, sizes, rng), strict=True):
            state.hands[seat] += cards
            hoards[seat] += cards
        if lot < len(seen.old):
            hoards[seen.seat] = packed(own[: seen.old_sizes[lot * lots.seats + seen.seat]])
            all_hoards.append(tuple(hoards))
    state.hoards = tuple(all_hoards)
    state.hoard_sizes = seen.old_sizes
    state.shown = seen.shown


def _own_cards(seen: Observation) -> list[Card]:
    """What the seat itself received unseen, in an order in which it can have done so."""
    cards = [card for seat, _, paid in seen.shown if seat == seen.seat for card in unpacked(paid)]
    return cards + unpacked(seen.hand - seen.known[seen.seat])


def _course(lots: _Lots, rng: Rng) -> list[Split]:
    """From which lots the payments came: the split before each step and after the last."""
    levels = _levels(lots, MOST_SPLITS)
    if not levels[-1]:  # what was dropped would have been needed
        levels = _levels(lots, 1 << 60)
    split = _drawn([(split, likely) for split, (likely, _) in levels[-1].items()], rng)
    course = [split]
    for level in reversed(levels[1:]):
        split = _drawn(level[split][1], rng)
        course.append(split)
    course.reverse()
    return course


def _levels(lots: _Lots, most: int) -> list[Level]:
    """How likely every split is before each step and after the last, and from which it came."""
    start: list[int] = []
    for cards in lots.cards:
        start += [cards, 0]
    level: Level = {tuple(start): (1.0, [])}
    levels = [level]
    for step in lots.steps:
        following: Level = {}
        for split, (likely, _) in level.items():
            for after, chance in _ways(lots, split, step):
                total, origins = following.get(after, (0.0, []))
                origins.append((split, likely * chance))
                following[after] = (total + likely * chance, origins)
        if len(following) > most:
            kept = sorted(following, key=lambda split: following[split][0])[-most:]
            following = {split: following[split] for split in kept}
        level = following
        levels.append(level)
    return levels


def _ways(lots: _Lots, split: Split, step: tuple[int, int, int, int]) -> list[tuple[Split, float]]:
    """What this step can make of a split: how likely it is to hold, and show, just these cards."""
    seat, received, kind, number = step
    found: list[tuple[int, float, Split]] = [(0, 1.0, ())]
    for lot in range(len(lots.cards)):
        left, used = split[2 * lot], split[2 * lot + 1]
        of_kind = count(left, kind)
        held = 0
        if of_kind:
            held = lots.share(lot, seat, received) - count(used, seat)
        if not held:
            found = [(taken, chance, (*head, left, used)) for taken, chance, head in found]
            continue
        among = size(left)
        grown = []
        for taken, chance, head in found:
            for n in range(min(number - taken, of_kind, held) + 1):
                shown = chance * comb(of_kind, n) * perm(held, n) / perm(among, n)
                after = (*head, left - n * ONE[kind], used + (n << BITS * seat))
                grown.append((taken + n, shown, after))
        found = grown
    return [(after, chance) for taken, chance, after in found if taken == number]


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
