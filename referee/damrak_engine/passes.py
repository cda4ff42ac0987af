"""Random hands that are consistent with forced passes: the hands could not pay at the time.

Hands drawn without regard to passes can be redrawn until they are consistent, but that may take
long. So the consistent ways can be counted as well, one kind of card at a time: once the wilds in a
hand are fixed, so is the number of cards of each colour that would have paid for a route.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, prod
from typing import Final, NamedTuple

from damrak_engine.cards import COLOURS, KINDS, WILD, count, packed_of
from damrak_engine.lots import Lots, Rng, Split, dealt_out
from damrak_engine.observation import Observation

ORDER: Final = (WILD, *range(COLOURS))

# For each lot, the cards that each seat has received and, last, those in the pile.
Dealt = list[list[int]]


class Pass(NamedTuple):
    """A forced pass, and how the hand of its seat follows from the cards received unseen."""

    seat: int
    moments: int  # the number of lots it had received
    known: int  # further cards that it held
    paid: tuple[int, ...]  # cards that it had paid
    lengths: int  # packed: of the shortest route free to it in each colour, or 0


class Passes:
    """The forced passes of other seats, and the deals that are consistent with them."""

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
        """Return whether no seat that had to pass could have paid with this deal."""
        for it in self.passes:
            hand = it.known - sum(it.paid)
            hand += sum([dealt[lot][it.seat] for lot in range(it.moments)])
            wilds = count(hand, WILD)
            for colour in range(COLOURS):
                if self.pays(count(hand, colour), wilds, count(it.lengths, colour)):
                    return False
        return True

    def pays(self, coloured: int, wilds: int, length: int) -> bool:
        """Return whether these numbers of cards pay for a route of this length, if any."""
        return 0 < length <= coloured + wilds and (coloured > 0 or not self.needs_colour)

    def drawn(self, seats: list[int], pile_size: int, rng: Rng) -> Dealt:
        """Draw a deal for these seats that the passes allow, each equally likely."""
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
    passes: tuple[int, ...]  # the passes at which they were in the hand or had been paid
    sizes: dict[int, int]  # how many of them each seat received or the pile holds


def _cells(lots: Lots, passes: list[Pass], seats: list[int], pile_size: int) -> list[_Cell]:
    """Return all cards of the lots in as few cells as possible, lot by lot."""
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
    """One way to place the cards of one kind."""

    ways: int
    put: tuple[int, ...]  # the number in each cell
    room: tuple[int, ...]  # left for the kinds that follow
    wilds: tuple[int, ...]  # in the hands that had to pass


class _Tally:
    """Counter of the ways to place the cards of certain lots in cells, each card distinct."""

    def __init__(self, passes: Passes, cells: list[_Cell], contents: Split) -> None:
        self.passes = passes
        self.cells = cells
        self.contents = contents
        self.room = tuple([sum(cell.sizes.values()) for cell in cells])
        self.counted: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}

    def ways(self, at: int, room: tuple[int, ...], wilds: tuple[int, ...]) -> int:
        """Return the number of ways for the kinds from `at` on: room by cell, wilds by pass."""
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
        """Draw the cards in each cell, with all ways equally likely."""
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
        """Return the numbers of this kind that each cell can hold, and in how many ways."""
        found: list[tuple[int, tuple[int, ...], int]] = [(1, (), 0)]
        lot = -1
        for cell, space in zip(self.cells, room, strict=True):
            if cell.lot > lot:  # all cards of the previous lot are placed
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
        """Return in how many ways the paid cards of this kind can be among these."""
        ways = 1
        paid = [0] * self.passes.lots.seats
        for i, (seat, _, of_kind, number) in enumerate(self.passes.lots.steps):
            if of_kind == kind:
                held = sum([put[j] for j, cell in enumerate(self.cells) if i in cell.steps])
                more = comb(held - paid[seat], number) if held >= paid[seat] else 0
                ways = prod((ways, more))
                paid[seat] += number
        return ways
