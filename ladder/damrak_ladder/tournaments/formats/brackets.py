"""The geometry of knockouts: which slot is filled from where, and in which round.

Slots of the upper bracket are W1.1, W1.2, …, those of the lower one L1.1, …; F is the final, F2 the
second final of a double elimination, P3 the pairing for the third place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from damrak_ladder.standings.fit.knockout import seeding
from damrak_ladder.tournaments.formats.rules import StageRules
from damrak_ladder.tournaments.formats.values import Source

FINAL = "F"
RESET = "F2"
THIRD_PLACE = "P3"


@dataclass(frozen=True, slots=True)
class Node:
    """A slot: its name, its round from 1, and what fills it."""

    name: str
    round: int
    sources: tuple[Source, ...]


@lru_cache(maxsize=128)
def nodes(rules: StageRules, entrants: int) -> tuple[Node, ...]:
    """Returns the slots of a knockout, in the order of rounds."""
    if rules.format == "double-elimination":
        found = _double(entrants)
    elif rules.players == 2:
        found = _single(entrants, third_place=rules.third_place and entrants > 3)
    else:
        found = _tables(entrants)
    return tuple(sorted(found, key=lambda node: node.round))


def doublings(entrants: int) -> int:
    """Returns how often 1 must be doubled to hold all entrants."""
    return (entrants - 1).bit_length()


def dependent_slots(rules: StageRules, entrants: int, slot: str) -> frozenset[str]:
    """Returns the slots that entrants of this slot can reach afterwards."""
    reached = {slot}
    for node in nodes(rules, entrants):
        if any(source.slot in reached for source in node.sources):
            reached.add(node.name)
    return frozenset(reached - {slot})


def _upper(count: int, *, final: bool) -> list[tuple[str, tuple[Source, ...], int]]:
    """Returns name, sources and bracket round of the upper slots for 2 ** count seeds."""
    order = seeding(2**count)
    found = []
    for level in range(1, count + 1):
        for at in range(2 ** (count - level)):
            if level == 1:
                sources = tuple(Source("seed", place=1 + order[2 * at + side]) for side in (0, 1))
            else:
                sources = tuple(
                    Source("winner", f"W{level - 1}.{2 * at + side}") for side in (1, 2)
                )
            name = FINAL if final and level == count else f"W{level}.{at + 1}"
            found.append((name, sources, level))
    return found


def _single(entrants: int, *, third_place: bool) -> Iterator[Node]:
    count = doublings(entrants)
    for name, sources, level in _upper(count, final=True):
        yield Node(name, level, sources)
    if third_place:
        losers = tuple(Source("loser", f"W{count - 1}.{side}") for side in (1, 2))
        yield Node(THIRD_PLACE, count, losers)


def _double(entrants: int) -> Iterator[Node]:
    """Upper rounds wait for the lower bracket: round 2k - 2 holds the upper round k."""
    count = doublings(entrants)
    for name, sources, level in _upper(count, final=False):
        yield Node(name, max(1, 2 * level - 2), sources)
    for stage in range(1, count):
        for at in range(2 ** (count - stage - 1)):
            if stage == 1:
                inner = tuple(Source("loser", f"W1.{2 * at + side}") for side in (1, 2))
            else:
                inner = tuple(
                    Source("winner", f"L{2 * stage - 2}.{2 * at + side}") for side in (1, 2)
                )
            yield Node(f"L{2 * stage - 1}.{at + 1}", 2 * stage, inner)
            drop = at ^ _mask(stage, count - stage - 1)
            sources = (
                Source("winner", f"L{2 * stage - 1}.{at + 1}"),
                Source("loser", f"W{stage + 1}.{drop + 1}"),
            )
            yield Node(f"L{2 * stage}.{at + 1}", 2 * stage + 1, sources)
    lower = Source("winner", f"L{2 * count - 2}.1") if count > 1 else Source("loser", "W1.1")
    yield Node(FINAL, 2 * count, (Source("winner", f"W{count}.1"), lower))
    yield Node(RESET, 2 * count + 1, (Source("winner", FINAL), Source("loser", FINAL)))


def _mask(stage: int, bits: int) -> int:
    """Returns how losers of an upper round are moved when they drop.

    Two entrants that met in upper rounds r and s meet again the later, the fewer leading bits the
    moves of these rounds share. Reversed binary numbers share fewest: neighbouring rounds none,
    rounds two apart one, and so on.
    """
    return sum((stage >> at & 1) << (bits - 1 - at) for at in range(bits))


def _tables(entrants: int) -> Iterator[Node]:
    """Tables of four, of which two advance: 1, 8, 9, 16 / 2, 7, 10, 15 / …"""
    count = max(0, doublings(entrants) - 2)
    tables = 2**count
    order = seeding(tables)
    for level in range(1, count + 2):
        for at in range(2 ** (count + 1 - level)):
            if level == 1:
                seed = order[at] + 1
                seeds = (seed, 2 * tables + 1 - seed, 2 * tables + seed, 4 * tables + 1 - seed)
                sources = tuple(Source("seed", place=one) for one in seeds)
            else:
                above = [f"W{level - 1}.{2 * at + side}" for side in (1, 2)]
                sources = tuple(Source("winner", slot, place) for place in (1, 2) for slot in above)
            name = FINAL if level == count + 1 else f"W{level}.{at + 1}"
            yield Node(name, level, sources)
