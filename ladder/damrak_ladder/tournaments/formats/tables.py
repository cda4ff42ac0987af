"""Seating at tables of 3 and 4 by annealing over one summed cost.

The cost of a table is the sum over its pairs of

    A * (m * m + m) + 16 * gap * gap + a large number for a forbidden pair

and, for each entrant of a table that is smaller than the others, A / 2 * t * (t + 1): m is the
number of earlier meetings, the gap is between scores, t is how often the entrant sat at a smaller
table. A is the table preference; in fields of more than 48 entrants it grows with them, because
there rematches can be avoided at almost no cost in scores.

The search has a fixed length, so the same seed gives the same seating; its cost is published.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import exp, lcm, log
from random import Random
from typing import Final

from damrak_ladder.tournaments.formats.history import History, ranked, score_groups
from damrak_ladder.tournaments.formats.randomness import generator
from damrak_ladder.tournaments.formats.values import Entrant, FormatError, Pairing

STARTS: Final = 5
STEPS_PER_ENTRANT: Final = 1200
FEWEST_STEPS: Final = 3_000
MOST_STEPS: Final = 40_000
LARGE_FIELD: Final = 48
_FORBIDDEN: Final = 10**6
_SAME_OWNER: Final = 10**5
_GAP: Final = 16
_LARGEST_SCALE: Final = 2**10

Matrix = list[list[int]]
Seats = list[list[int]]


def table_sizes(entrants: int, players: int) -> list[int]:
    """Returns the sizes of tables, the largest first: as few smaller tables as possible.

    From 6 entrants on, tables of 4 and 3 seat all of them; 5 entrants are 3 and 2.
    """
    if entrants <= players:
        return [entrants] if entrants else []
    tables = -(-entrants // players)
    small = tables * players - entrants
    if small > tables:  # 5 entrants at tables of 4 only: 3 and 2
        return sorted((entrants - entrants // tables, entrants // tables), reverse=True)
    return [players] * (tables - small) + [players - 1] * small


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost of every pair and of every entrant at a smaller table, by index."""

    pairs: Matrix
    small: list[int]
    scale: int

    def total(self, seats: Seats, full: int) -> int:
        """Returns the cost of a seating."""
        return sum(self.table(members, full) for members in seats)

    def table(self, members: Sequence[int], full: int) -> int:
        """Returns the cost of one table."""
        found = sum(self.pairs[one][other] for one, other in combinations(members, 2))
        return found + (sum(self.small[it] for it in members) if len(members) < full else 0)


def seat(
    entrants: Collection[Entrant],
    past: History,
    *,
    players: int,
    preference: int,
    seed: bytes | str,
    forbidden: Iterable[Collection[int]] = (),
    same_owner_apart: bool = True,
    leaders: bool = False,
) -> tuple[list[Pairing], dict[str, Fraction | int]]:
    """Returns tables for these entrants and the cost of the seating.

    `leaders` seats the first of the ranking at one table, even if they met before.

    Raises:
        FormatError: forbidden pairs cannot be kept apart.
    """
    pairs = {frozenset(pair) for pair in forbidden}
    order = _start_order(ranked(entrants, past.points), past, players)
    sizes = table_sizes(len(order), players)
    fixed: Seats = []
    if leaders and len(sizes) > 1:
        first = ranked(entrants, past.points)[: sizes[0]]
        order = [*first, *(it for it in order if it not in first)]
        fixed, sizes = [list(range(sizes[0]))], sizes[1:]
    weight = preference * max(1, len(order) // LARGE_FIELD)
    costs = _costs(order, past, weight, pairs, same_owner_apart=same_owner_apart)
    free = list(range(sum(map(len, fixed)), len(order)))
    best = fixed + _anneal(costs, free, sizes, players, seed)
    seats = [[order[at] for at in sorted(members)] for members in best]
    found = cost(seats, past, pairs, costs.total(best, players), costs.scale)
    if found["forbidden"]:
        raise FormatError(
            "forbidden pairs cannot be seated apart; allow one of them, or seat by hand"
        )
    numbers = [tuple(it.number for it in ranked(table, past.points)) for table in seats]
    return [Pairing(table) for table in numbers], found


def _start_order(order: list[Entrant], past: History, players: int) -> list[Entrant]:
    """Returns ranked entrants with each score group spread: its best do not sit together."""
    found: list[Entrant] = []
    for group in score_groups(order, past.points):
        tables = -(-len(group) // players)
        found += [it for first in range(tables) for it in group[first::tables]]
    return found


def _costs(
    order: Sequence[Entrant],
    past: History,
    preference: int,
    forbidden: set[frozenset[int]],
    *,
    same_owner_apart: bool,
) -> Costs:
    scale = min(_LARGEST_SCALE, lcm(*(past.points[it.number].denominator for it in order)))
    scores = [round(past.points[it.number] * scale) for it in order]
    unit = scale * scale

    def pair(at: int, other: int) -> int:
        one, two = order[at], order[other]
        if one is two:
            return 0
        met = past.met(one.number, two.number)
        found = preference * (met * met + met) * unit + _GAP * (scores[at] - scores[other]) ** 2
        if frozenset((one.number, two.number)) in forbidden:
            found += _FORBIDDEN * unit * unit
        if same_owner_apart and one.owner is not None and one.owner == two.owner:
            found += _SAME_OWNER * unit
        return found

    size = len(order)
    small = [past.small_tables[it.number] for it in order]
    return Costs(
        [[pair(at, other) for other in range(size)] for at in range(size)],
        [preference * times * (times + 1) * unit // 2 for times in small],
        scale,
    )


def _anneal(
    costs: Costs, free: list[int], sizes: list[int], players: int, seed: bytes | str
) -> Seats:
    """Returns the best of several searches; the first starts from the order cut into tables."""
    best: Seats = []
    least = -1
    steps = max(FEWEST_STEPS, min(MOST_STEPS, STEPS_PER_ENTRANT * len(free)))
    for start in range(STARTS):
        random = generator(seed, "seating", start)
        order = list(sizes)
        if start:
            random.shuffle(order)
        seats = _cut(free, order)
        total = costs.total(seats, players)
        if least < 0 or total < least:
            best, least = seats, total
        if len(sizes) > 1 and least:
            found, total = _search(costs, seats, total, steps, players, random)
            if total < least:
                best, least = found, total
        if not least:
            break
    return best


def _cut(order: Sequence[int], sizes: Iterable[int]) -> Seats:
    seats, at = [], 0
    for size in sizes:
        seats.append(list(order[at : at + size]))
        at += size
    return seats


def _search(
    costs: Costs, start: Seats, total: int, steps: int, players: int, random: Random
) -> tuple[Seats, int]:
    """Swaps entrants of near tables while the temperature falls geometrically."""
    seats = [list(members) for members in start]
    best, least = [list(members) for members in seats], total
    pairs, small = costs.pairs, costs.small
    count = len(seats)
    hot = max(1.0, 2.0 * total / max(1, sum(map(len, seats))))
    cold = max(0.5, hot / 1000)
    cooling = exp(log(cold / hot) / steps)
    uniform = random.random
    temperature = hot
    for _ in range(steps):
        temperature *= cooling
        one = int(uniform() * count)
        reach = 1 if uniform() < 0.6 else 1 + int(uniform() * (count - 1))
        other = one + reach if one + reach < count else one + reach - count
        here, there = seats[one], seats[other]
        at, to = int(uniform() * len(here)), int(uniform() * len(there))
        mine, theirs = here[at], there[to]
        row, column = pairs[mine], pairs[theirs]
        change = 0
        for it in here:
            change += column[it] - row[it]
        for it in there:
            change += row[it] - column[it]
        change -= 2 * row[theirs]
        if len(here) != len(there):
            swap = small[theirs] - small[mine]
            change += swap if len(here) < len(there) else -swap
        if change <= 0 or uniform() < exp(-change / temperature):
            here[at], there[to] = theirs, mine
            total += change
            if total < least:
                best, least = [list(members) for members in seats], total
                if not least:
                    break
    return best, least


def cost(
    seats: Sequence[Sequence[Entrant]],
    past: History,
    forbidden: set[frozenset[int]],
    total: int,
    scale: int,
) -> dict[str, Fraction | int]:
    """Returns the published cost of a seating."""
    pairs = [pair for table in seats for pair in combinations(table, 2)]
    largest = max(map(len, seats), default=0)
    return {
        "total": Fraction(total, scale * scale),
        "forbidden": sum(frozenset((one.number, two.number)) in forbidden for one, two in pairs),
        "same_owner": sum(one.owner is not None and one.owner == two.owner for one, two in pairs),
        "rematches": sum(past.met(one.number, two.number) > 0 for one, two in pairs),
        "squared_gaps": sum(
            ((past.points[one.number] - past.points[two.number]) ** 2 for one, two in pairs),
            Fraction(0),
        ),
        "repeated_small_tables": sum(
            past.small_tables[it.number] > 0
            for table in seats
            if len(table) < largest
            for it in table
        ),
    }
