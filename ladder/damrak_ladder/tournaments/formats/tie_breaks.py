"""The values of tie-breaks.

Values are means over what was played, so that smaller tables, byes and withdrawals do not distort
them. A round that an opponent did not play counts for it as half a round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Final

from damrak_ladder.tournaments.formats.results import place_table
from damrak_ladder.tournaments.formats.rules import StageRules
from damrak_ladder.tournaments.formats.values import HALF, Entrant, PairingResult, Round

Values = dict[int, Fraction | None]
"""The value of each entrant; None where it has none."""


@dataclass
class Record:
    """Everything that tie-breaks read, by the numbers of entrants."""

    rules: StageRules
    entrants: Sequence[Entrant]
    rounds: Sequence[Round]
    earlier: Mapping[int, Fraction]

    @cached_property
    def results(self) -> dict[int, list[tuple[int, PairingResult]]]:
        """Returns each entrant's results, with its index in the pairing."""
        found: dict[int, list[tuple[int, PairingResult]]] = defaultdict(list)
        for results in self.rounds:
            for result in results:
                for at, number in enumerate(result.pairing.entrants):
                    found[number].append((at, result))
        return found

    @cached_property
    def points(self) -> dict[int, Fraction]:
        """Returns the points of each entrant."""
        return {
            it.number: sum((r.points[at] for at, r in self.results[it.number]), Fraction(0))
            for it in self.entrants
        }

    def meetings(self, number: int) -> list[tuple[int, PairingResult]]:
        """Returns the results of pairings in which the entrant met others."""
        return [(at, result) for at, result in self.results[number] if result.is_meeting]

    @cached_property
    def adjusted(self) -> dict[int, Fraction]:
        """Returns the points of each entrant as its opponents count them."""
        dummy = HALF
        if self.rules.points == "places":
            table = place_table(self.rules, self.rules.players)
            dummy = sum(table, Fraction(0)) / len(table)
        found = {}
        for it in self.entrants:
            met = self.meetings(it.number)
            own = sum((result.points[at] for at, result in met), Fraction(0))
            found[it.number] = own + dummy * max(0, len(self.rounds) - len(met))
        return found

    def opponents(self, number: int) -> list[Fraction]:
        """Returns the adjusted points of all opponents met, the least first."""
        return sorted(
            self.adjusted[other]
            for at, result in self.meetings(number)
            for index, other in enumerate(result.pairing.entrants)
            if index != at
        )


def values(record: Record, name: str, numbers: Iterable[int]) -> Values:
    """Returns the values of a criterion that does not depend on who is tied. More is better."""
    return {number: _BY_NAME[name](record, number) for number in numbers}


def head_to_head(record: Record, tied: Sequence[int]) -> Values | None:
    """Returns the shares that tied entrants took from each other, or None to skip the criterion.

    It counts only if all of them met equally often, and at least once.
    """
    members = set(tied)
    taken: dict[int, Fraction] = dict.fromkeys(tied, Fraction(0))
    met: dict[frozenset[int], int] = dict.fromkeys(map(frozenset, combinations(tied, 2)), 0)
    for number in tied:
        for at, result in record.meetings(number):
            for index, other in enumerate(result.pairing.entrants):
                if other in members and other != number:
                    taken[number] += result.share(at, index)
                    met[frozenset((number, other))] += 1
    times = set(met.values())
    if len(times) != 1 or times == {0}:
        return None
    each = times.pop() // 2 * (len(tied) - 1)
    return {number: share / each for number, share in taken.items()}


def _mean(values: Sequence[Fraction]) -> Fraction | None:
    return sum(values, Fraction(0)) / len(values) if values else None


def _buchholz(record: Record, number: int) -> Fraction | None:
    return _mean(record.opponents(number))


def _buchholz_cut(record: Record, number: int) -> Fraction | None:
    opponents = record.opponents(number)
    return _mean(opponents[1:] if len(opponents) > 1 else opponents)


def _sonneborn_berger(record: Record, number: int) -> Fraction | None:
    return _mean(
        [
            result.share(at, index) * record.adjusted[other]
            for at, result in record.meetings(number)
            for index, other in enumerate(result.pairing.entrants)
            if index != at
        ]
    )


def _per_game(name: str) -> Callable[[Record, int], Fraction | None]:
    def value(record: Record, number: int) -> Fraction | None:
        met = [(at, it) for at, it in record.meetings(number) if getattr(it, name) and it.games]
        games = sum(result.games for _, result in met)
        total = sum((Fraction(getattr(it, name)[at]) for at, it in met), Fraction(0))
        return total / games if games else None

    return value


def _sudden_death(record: Record, number: int) -> Fraction | None:
    met = record.meetings(number)
    return _mean([result.sudden_points[at] for at, result in met if result.sudden_points])


def _earlier(record: Record, number: int) -> Fraction | None:
    return record.earlier.get(number)


def _seed(record: Record, number: int) -> Fraction:
    return Fraction(next(-it.seed for it in record.entrants if it.number == number))


_BY_NAME: Final[dict[str, Callable[[Record, int], Fraction | None]]] = {
    "buchholz": _buchholz,
    "buchholz-cut-1": _buchholz_cut,
    "sonneborn-berger": _sonneborn_berger,
    "first-places": _per_game("first_places"),
    "game-points": _per_game("game_points"),
    "goods": _per_game("goods"),
    "sudden-death": _sudden_death,
    "earlier-points": _earlier,
    "seed": _seed,
}
