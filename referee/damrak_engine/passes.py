"""Hands of which it is true that they could not pay, when their seats had to pass.

Hands drawn without regard to that can be drawn again until it is true of them, but that may take
long. So the ways in which it can be true are counted as well, kind of card by kind of card: once
the wilds in a hand are settled, so is how many cards of each colour would have paid for a route.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, prod
from typing import Final, NamedTuple

from damrak_engine.cards import COLOURS, KINDS, WILD, count, packed_of
from damrak_engine.lots import Lots, Rng, Split, dealt_out
from damrak_engine.observation import Observation

ORDER: Final = (WILD, *range(COLOURS))

# Of each lot what each seat has received and, last, what the pile has.
Dealt = list[list[int]]


class Pass(NamedTuple):
    """A seat that had to pass, and how its hand follows from what it had received unseen."""

    seat: int
    moments: int  # so many lots it had received
    known: int  # it held these cards, too
    paid: tuple[int, ...]  # and had paid these
    lengths: int  # packed: of the shortest route it could have claimed in each colour, or 0


class Passes:
    """What the passes of other seats say, and the ways to deal out cards in keeping with it."""

    def __init__(self, seen: Observation, lots: Lots) -> None:
        self.lots = lots
        self.needs_colour = seen.rules.options.all_wild == "no"
        self.passes = [
            Pass(
                seat,
                moments,
                known,
                tuple([cards for payer, _, cards in seen.shown[:payments] if payer == seat]),
                lengths,
            )
            for seat, moments, payments, known, lengths in seen.passed
            if seat != seen.seat
        ]

    def allow(self, dealt: Dealt) -> bool:
        """Whether nobody who had to pass could have paid, if the lots were dealt out so."""
        for it in self.passes:
            hand = it.known - sum(it.paid)
            hand += sum([dealt[lot][it.seat] for lot in range(it.moments)])
            wilds = count(hand, WILD)
            for colour in range(COLOURS):
                if self.pays(count(hand, colour), wilds, count(it.lengths, colour)):
                    return False
        return True

    def pays(self, coloured: int, wilds: int, length: int) -> bool:
        """Whether so many cards of a colour and wilds pay for a route of this length, if any."""
        return 0 < length <= coloured + wilds and (coloured > 0 or not self.needs_colour)

    def drawn(self, seats: list[int], pile_size: int, rng: Rng) -> Dealt:
        """What the passes allow, for these seats, every way equally likely."""
        cells = _cells(self.lots, self.passes, seats, pile_size)
        tallies = [_Tally(self, cells, contents) for contents, _ in self.lots.contents]
        ways = [
            prod((int(likely), tally.ways(0, tally.room, ())))
            for tally, (_, likely) in zip(tallies, self.lots.contents, strict=True)
        ]
        lot = rng.randrange(sum(ways))
        chosen = 0
        while lot >= ways[chosen]:
            lot -= ways[chosen]
            chosen += 1
        dealt = [[0] * (self.lots.seats + 1) for _ in range(len(self.lots.ends) + 1)]
        for cell, cards in zip(cells, tallies[chosen].drawn(rng), strict=True):
            hands = dealt_out(cards, list(cell.sizes.values()), rng)
            for seat, hand in zip(cell.sizes, hands, strict=True):
                dealt[cell.lot][seat] += hand
        return dealt


class _Cell(NamedTuple):
    """Cards of one lot to which the same payments and passes apply."""

    lot: int
    steps: tuple[int, ...]  # the payments they may have been part of
    passes: tuple[int, ...]  # those at which they were in the hand, or had been paid
    sizes: dict[int, int]  # how many of them each seat received, or the pile has


def _cells(lots: Lots, passes: list[Pass], seats: list[int], pile_size: int) -> list[_Cell]:
    """All cards that the lots hold, in as few parts as will do; lot by lot."""
    found: dict[tuple[int, tuple[int, ...], tuple[int, ...]], dict[int, int]] = {}
    found[len(lots.ends), (), ()] = {lots.seats: pile_size}
    for seat in seats:
        steps = [(i, step[1]) for i, step in enumerate(lots.steps) if step[0] == seat]
        ends = [each[seat] for each in lots.ends]
        until = [(j, ends[it.moments - 1]) for j, it in enumerate(passes) if it.seat == seat]
        cuts = sorted({*ends, *[received for _, received in steps], lots.received[seat]} - {0})
        start = 0
        for cut in cuts:
            key = (
                sum([end <= start for end in ends]),
                tuple([i for i, received in steps if cut <= received]),
                tuple([j for j, received in until if cut <= received]),
            )
            sizes = found.setdefault(key, {})
            sizes[seat] = sizes.get(seat, 0) + cut - start
            start = cut
    return [_Cell(*key, sizes) for key, sizes in sorted(found.items())]


class _Choice(NamedTuple):
    """Where the cards of one kind may be."""

    ways: int
    put: tuple[int, ...]  # how many are in each cell
    room: tuple[int, ...]  # for the kinds that follow
    wilds: tuple[int, ...]  # in the hands that had to pass


class _Tally:
    """In how many ways the cards of certain lots can be in cells, single cards told apart."""

    def __init__(self, passes: Passes, cells: list[_Cell], contents: Split) -> None:
        self.passes = passes
        self.cells = cells
        self.contents = contents
        self.room = tuple([sum(cell.sizes.values()) for cell in cells])
        self.counted: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}

    def ways(self, at: int, room: tuple[int, ...], wilds: tuple[int, ...]) -> int:
        """How many there are for the kinds from `at` on: room by cell, wilds by pass."""
        if at == KINDS:
            return 1
        key = (at, room, wilds)
        ways = self.counted.get(key)
        if ways is None:
            ways = sum(
                [
                    prod((choice.ways, self.ways(at + 1, choice.room, choice.wilds)))
                    for choice in self._choices(at, room, wilds)
                ]
            )
            self.counted[key] = ways
        return ways

    def drawn(self, rng: Rng) -> list[int]:
        """The cards in each cell, every way equally likely."""
        cards = [0] * len(self.cells)
        room = self.room
        wilds: tuple[int, ...] = ()
        for at, kind in enumerate(ORDER):
            lot = rng.randrange(self.ways(at, room, wilds))
            for choice in self._choices(at, room, wilds):
                lot -= prod((choice.ways, self.ways(at + 1, choice.room, choice.wilds)))
                if lot < 0:
                    break
            for i, number in enumerate(choice.put):
                cards[i] += packed_of(number, kind)
            room = choice.room
            wilds = choice.wilds
        return cards

    def _choices(self, at: int, room: tuple[int, ...], wilds: tuple[int, ...]) -> Iterator[_Choice]:
        kind = ORDER[at]
        for ways, put in self._spreads(kind, room):
            ways = prod((ways, self._payments(kind, put)))
            if not ways:
                continue
            held = [
                sum([put[i] for i, cell in enumerate(self.cells) if j in cell.passes])
                + count(it.known, kind)
                - sum([count(cards, kind) for cards in it.paid])
                for j, it in enumerate(self.passes.passes)
            ]
            left = tuple([space - number for space, number in zip(room, put, strict=True)])
            if kind == WILD:
                yield _Choice(ways, put, left, tuple(held))
            elif not any(
                [
                    self.passes.pays(held[j], wilds[j], count(it.lengths, kind))
                    for j, it in enumerate(self.passes.passes)
                ]
            ):
                yield _Choice(ways, put, left, wilds)

    def _spreads(self, kind: int, room: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        """The numbers of this kind that can be in each cell, and in how many ways."""
        found: list[tuple[int, tuple[int, ...], int]] = [(1, (), 0)]
        lot = -1
        for cell, space in zip(self.cells, room, strict=True):
            if cell.lot > lot:  # all of the lot before has a place
                lot = cell.lot
                of_kind = count(self.contents[lot], kind)
                found = [(ways, put, of_kind) for ways, put, left in found if not left]
            found = [
                (prod((ways, comb(left, number))), (*put, number), left - number)
                for ways, put, left in found
                for number in range(min(left, space) + 1)
            ]
        return [(ways, put) for ways, put, left in found if not left]

    def _payments(self, kind: int, put: tuple[int, ...]) -> int:
        """In how many ways the cards paid of this kind may be among them."""
        ways = 1
        paid = [0] * self.passes.lots.seats
        for i, (seat, _, of_kind, number) in enumerate(self.passes.lots.steps):
            if of_kind == kind:
                held = sum([put[j] for j, cell in enumerate(self.cells) if i in cell.steps])
                more = comb(held - paid[seat], number) if held >= paid[seat] else 0
                ways = prod((ways, more))
                paid[seat] += number
        return ways
