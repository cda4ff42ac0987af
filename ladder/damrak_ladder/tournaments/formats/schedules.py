"""Schedules that do not depend on results: round robin, groups and gauntlet."""

from __future__ import annotations

from collections.abc import Sequence

from damrak_ladder.tournaments.formats.history import by_seed
from damrak_ladder.tournaments.formats.values import Entrant


def circle(count: int, number: int) -> list[tuple[int, ...]]:
    """Returns the pairs of one round (from 0) of a round robin, by index; a bye is one index.

    The circle method: the last stays, the others rotate. The first two meet in the last round.
    """
    size = count + count % 2
    rounds = size - 1
    shift = (number + 1 + (rounds + 1) // 2) % rounds
    line = [(at + shift) % rounds for at in range(rounds)]
    pairs = [(line[0], rounds), *((line[at], line[-at]) for at in range(1, size // 2))]
    found = [tuple(sorted(it for it in pair if it < count)) for pair in pairs]
    return sorted(found, key=lambda pair: (len(pair) == 1, pair))


def circle_rounds(count: int, *, double: bool = False) -> int:
    """Returns the number of rounds of a round robin."""
    once = count + count % 2 - 1
    return 2 * once if double else once


def snake(entrants: Sequence[Entrant], groups: int) -> list[list[Entrant]]:
    """Returns groups of equal strength: 1, 2, 3, then 6, 5, 4, and so on."""
    found: list[list[Entrant]] = [[] for _ in range(groups)]
    for at, entrant in enumerate(by_seed(entrants)):
        lap, place = divmod(at, groups)
        found[place if lap % 2 == 0 else groups - 1 - place].append(entrant)
    return found


def gauntlet_sides(
    entrants: Sequence[Entrant], challengers: int
) -> tuple[list[Entrant], list[Entrant]]:
    """Returns challengers and opponents. With guests these are the opponents, else low seeds."""
    order = by_seed(entrants)
    if any(entrant.guest for entrant in order):
        return [it for it in order if not it.guest], [it for it in order if it.guest]
    return order[:challengers], order[challengers:]


def gauntlet_rounds(challengers: int, opponents: int, players: int) -> int:
    """Returns the number of rounds in which each challenger meets every opponent."""
    tables = -(-opponents // (players - 1))
    return max(challengers, tables)


def gauntlet_round(
    challengers: Sequence[Entrant], opponents: Sequence[Entrant], players: int, number: int
) -> list[tuple[Entrant, ...]]:
    """Returns the tables of one round (from 0); challengers and opponents may sit out."""
    seats = players - 1
    rivals = [opponents[at : at + seats] for at in range(0, len(opponents), seats)]
    rounds = gauntlet_rounds(len(challengers), len(opponents), players)
    found = []
    for at, challenger in enumerate(challengers):
        table = (at + number) % rounds
        if table < len(rivals):
            found.append((challenger, *rivals[table]))
    return found
