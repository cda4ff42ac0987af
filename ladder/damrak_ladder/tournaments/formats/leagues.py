"""The divisions of a league's next season, from the final tables of the last one.

Promotion and relegation follow from the tables and the play-offs as they were played. Then
entrants withdraw, and newcomers start at the bottom. A vacancy is filled from below, first by the
best entrant that would have been relegated. The number of divisions changes only when their sizes
would differ from the target by more than one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erf, sqrt

from damrak_ladder.message_codes import rule_codes as codes
from damrak_ladder.tournaments.formats.values import FormatError, RulesError

Table = Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueRules:
    """How divisions change between seasons.

    Attributes:
        target: entrants of a division; sizes differ from it by at most one where possible.
        swaps: entrants that change places between neighbouring divisions without a play-off.
        play_off: the next of the lower division plays the next of the upper one for its place.
    """

    target: int = 8
    swaps: int = 1
    play_off: bool = True

    def validate(self) -> None:
        """Check the rules.

        Raises:
            RulesError: they cannot work.
        """
        if not 3 <= self.target <= 1000:
            raise RulesError("target", codes.WholeOutside(3, 1000))
        moving = self.swaps + self.play_off
        if self.swaps < 0 or 2 * moving > self.target - 1:
            raise RulesError("swaps", codes.TooManyMoves(moving, self.target))


@dataclass(frozen=True, slots=True)
class PlayOff:
    """A pairing for a place in the upper of two divisions (from 0)."""

    division: int
    upper: int
    lower: int


@dataclass(frozen=True, slots=True)
class Move:
    """Where an entrant was and is, as divisions from 0; None is outside the league.

    `why` is "stays", "promoted", "relegated", "play-off", "resized", "newcomer" or "withdrew".
    """

    number: int
    was: int | None
    now: int | None
    why: str


@dataclass(frozen=True, slots=True)
class NextSeason:
    """The divisions, best first, each in the order that seeds it, and the moves of all entrants."""

    divisions: tuple[tuple[int, ...], ...]
    moves: tuple[Move, ...]


def play_offs(rules: LeagueRules, tables: Sequence[Table]) -> tuple[PlayOff, ...]:
    """Returns the play-offs after a season; `tables` are final, best first, without guests."""
    if not rules.play_off:
        return ()
    return tuple(
        PlayOff(at, upper[-1 - rules.swaps], lower[rules.swaps])
        for at, (upper, lower) in enumerate(pairwise(tables))
        if min(len(upper), len(lower)) > 2 * rules.swaps + 1
    )


def next_divisions(
    rules: LeagueRules,
    tables: Sequence[Table],
    *,
    withdrawals: Collection[int] = (),
    newcomers: Iterable[int] = (),
    play_off_winners: Mapping[int, int] | None = None,
    count: int | None = None,
) -> NextSeason:
    """Returns the divisions of the next season.

    `play_off_winners` has the winner of each play-off by its division; without a winner the entrant
    of the upper division keeps its place. `count` fixes the number of divisions.

    Raises:
        FormatError: an entrant is listed twice, or a winner did not play that play-off.
    """
    rules.validate()
    fresh = tuple(newcomers)
    numbers = [number for table in tables for number in table]
    if len({*numbers, *fresh}) != len(numbers) + len(fresh):
        raise FormatError("an entrant is in two tables or a newcomer twice; list each one once")
    winners = play_off_winners or {}
    duels = {duel.division: duel for duel in play_offs(rules, tables)}
    for division, winner in winners.items():
        if division not in duels or winner not in (duels[division].upper, duels[division].lower):
            raise FormatError(f"{winner} did not play for a place in division {division + 1}")
    promoted, relegated = _swapped(rules, tables)
    for division, duel in duels.items():
        if winners.get(division) == duel.lower:
            promoted[duel.lower] = relegated[duel.upper] = "play-off"
    order = [*_order(tables, withdrawals, promoted, relegated), *fresh]
    number = count or _number_of_divisions(rules, len(order), len(tables))
    sizes = balanced_sizes(len(order), number, rules.target)
    divisions, at = [], 0
    for size in sizes:
        divisions.append(tuple(order[at : at + size]))
        at += size
    return NextSeason(tuple(divisions), _moves(tables, divisions, {**promoted, **relegated}, fresh))


def chance_stronger(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Returns the probability that the first is stronger; both are a mean and a deviation."""
    spread = sqrt(first[1] ** 2 + second[1] ** 2)
    gap = first[0] - second[0]
    if not spread:
        return 0.5 if not gap else float(gap > 0)
    return 0.5 * (1 + erf(gap / spread / sqrt(2)))


def balanced_sizes(entrants: int, divisions: int, target: int) -> list[int]:
    """Returns the sizes of divisions, which differ by at most one.

    The upper divisions have the sizes that are nearer to the target.
    """
    if not entrants:
        return []
    base, more = divmod(entrants, divisions)
    sizes = [base + (at < more) for at in range(divisions)]
    return sizes if base < target else sizes[::-1]


def _swapped(rules: LeagueRules, tables: Sequence[Table]) -> tuple[dict[int, str], dict[int, str]]:
    promoted: dict[int, str] = {}
    relegated: dict[int, str] = {}
    for upper, lower in pairwise(tables):
        count = min(rules.swaps, len(upper) // 2, len(lower) // 2)
        promoted |= dict.fromkeys(lower[:count], "promoted")
        relegated |= dict.fromkeys(upper[len(upper) - count :], "relegated")
    return promoted, relegated


def _order(
    tables: Sequence[Table],
    withdrawals: Collection[int],
    promoted: Mapping[int, str],
    relegated: Mapping[int, str],
) -> list[int]:
    """Returns all entrants by their next division, and within it by the right to a vacancy."""
    divisions: list[tuple[list[int], list[int], list[int]]] = [([], [], []) for _ in tables]
    for at, table in enumerate(tables):
        for number in table:
            if number in withdrawals:
                continue
            if number in promoted:
                divisions[at - 1][2].append(number)
            elif number in relegated:
                divisions[at + 1][0].append(number)
            else:
                divisions[at][1].append(number)
    return [number for parts in divisions for part in parts for number in part]


def _number_of_divisions(rules: LeagueRules, count: int, now: int) -> int:
    """Returns the number of divisions whose sizes are near the target, with the least change."""

    def excess(number: int) -> int:
        low, high = count // number, -(-count // number)
        return max(0, abs(low - rules.target) - 1, abs(high - rules.target) - 1)

    most = max(1, 2 * count // rules.target + 1)
    return min(range(1, most + 1), key=lambda it: (excess(it), abs(it - max(1, now)), it))


def _moves(
    tables: Sequence[Table],
    divisions: Sequence[Table],
    reasons: Mapping[int, str],
    newcomers: Collection[int],
) -> tuple[Move, ...]:
    now = {number: at for at, division in enumerate(divisions) for number in division}
    found = []
    for was, table in enumerate(tables):
        for number in table:
            to = now.get(number)
            why = "withdrew" if to is None else "stays" if to == was else reasons.get(number)
            if why in ("promoted", "play-off", "relegated") and to is not None:
                up = why == "promoted" or (why == "play-off" and to < was)
                why = why if (to < was) == up else "resized"
            found.append(Move(number, was, to, why or "resized"))
    return tuple(found) + tuple(Move(it, None, now[it], "newcomer") for it in newcomers)
