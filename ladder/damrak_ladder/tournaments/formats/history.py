"""What earlier rounds mean for the next one: points, meetings, byes and small tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

from damrak_ladder.tournaments.formats.values import Entrant, Round


@dataclass(slots=True)
class History:
    """Counts over played rounds, by the numbers of entrants."""

    points: defaultdict[int, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    meetings: Counter[frozenset[int]] = field(default_factory=Counter)
    byes: Counter[int] = field(default_factory=Counter)
    small_tables: Counter[int] = field(default_factory=Counter)

    def met(self, one: int, other: int) -> int:
        """Returns how often two entrants met."""
        return self.meetings[frozenset((one, other))]


def history(rounds: Iterable[Round], players: int = 2) -> History:
    """Returns the counts over these rounds.

    A bye is a pairing of one entrant that gave points; an absence that was asked for is none.
    """
    found = History()
    for results in rounds:
        for result in results:
            numbers = result.pairing.entrants
            for number, points in zip(numbers, result.points, strict=True):
                found.points[number] += points
            if result.pairing.is_bye:
                found.byes[numbers[0]] += result.points[0] > 0 and not result.ruled
            elif result.is_meeting:
                found.meetings.update(map(frozenset, combinations(numbers, 2)))
                if len(numbers) < players:
                    found.small_tables.update(numbers)
    return found


def by_seed(entrants: Iterable[Entrant]) -> list[Entrant]:
    """Returns entrants by their seeds, the strongest first."""
    return sorted(entrants, key=lambda entrant: entrant.seed)


def ranked(entrants: Iterable[Entrant], points: dict[int, Fraction]) -> list[Entrant]:
    """Returns entrants by points, then by seed."""
    return sorted(entrants, key=lambda it: (-points.get(it.number, Fraction(0)), it.seed))


def score_groups(order: Sequence[Entrant], points: dict[int, Fraction]) -> list[list[Entrant]]:
    """Returns ranked entrants, split where the points change."""
    groups: list[list[Entrant]] = []
    for entrant in order:
        if groups and points.get(groups[-1][0].number, 0) == points.get(entrant.number, 0):
            groups[-1].append(entrant)
        else:
            groups.append([entrant])
    return groups
