"""Knockouts: the entrants of each slot, which of them advance and why, and the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from damrak_ladder.tournaments.formats.brackets import FINAL, RESET, THIRD_PLACE, Node, nodes
from damrak_ladder.tournaments.formats.history import by_seed, history
from damrak_ladder.tournaments.formats.results import qualifying_places
from damrak_ladder.tournaments.formats.rules import StageRules
from damrak_ladder.tournaments.formats.values import (
    HALF,
    Entrant,
    Pairing,
    PairingResult,
    Round,
    Row,
    Slot,
    Source,
)

Rounds = Sequence[Round]


@dataclass(frozen=True, slots=True)
class Decision:
    """The entrants that advance, and the criterion between the last one and the next."""

    order: tuple[int, ...]
    winners: tuple[int, ...]
    losers: tuple[int, ...]
    decided_by: str


def decide(
    rules: StageRules, entrants: Iterable[Entrant], played: Rounds, result: PairingResult
) -> Decision:
    """Returns which entrants advance: by points, sudden death, earlier meetings, goods and seed.

    `played` are the rounds before this pairing.
    """
    numbers = result.pairing.entrants
    if result.ruled == "void":
        return Decision(numbers, (), numbers, "ruling")
    seeds = {entrant.number: entrant.seed for entrant in entrants}
    size = len(numbers)
    zero = (Fraction(0),) * size
    criteria: dict[str, Sequence[Fraction | int]] = {
        "points": result.points,
        "sudden-death": result.sudden_points or zero,
        "head-to-head": _earlier(played, result),
        "goods": result.goods or zero,
        "seed": [-seeds[number] for number in numbers],
    }
    keys = {at: tuple(values[at] for values in criteria.values()) for at in range(size)}
    order = sorted(range(size), key=keys.__getitem__, reverse=True)
    cut = min(qualifying_places(size, result.pairing.slot), size)
    by = ""
    if cut < size:
        last, out = keys[order[cut - 1]], keys[order[cut]]
        by = next(n for n, a, b in zip(criteria, last, out, strict=True) if a != b)
    found = tuple(numbers[at] for at in order)
    return Decision(found, found[:cut], found[cut:], "ruling" if result.ruled else by)


def _earlier(played: Rounds, result: PairingResult) -> list[Fraction]:
    """Returns the shares that entrants tied on points took from each other in earlier rounds."""
    numbers = result.pairing.entrants
    points = dict(zip(numbers, result.points, strict=True))
    shares = dict.fromkeys(numbers, Fraction(0))
    for earlier in (it for results in played for it in results if it.is_meeting):
        here = [at for at, number in enumerate(earlier.pairing.entrants) if number in points]
        for at in here:
            for other in here:
                mine, theirs = earlier.pairing.entrants[at], earlier.pairing.entrants[other]
                if at != other and points[mine] == points[theirs]:
                    shares[mine] += earlier.share(at, other) - HALF
    return [shares[number] for number in numbers]


def bracket(rules: StageRules, entrants: Iterable[Entrant], played: Rounds) -> tuple[Slot, ...]:
    """Returns all slots of a knockout with what is known about them, in the order of rounds."""
    order = by_seed(entrants)
    done: dict[str, Slot] = {}
    for node in nodes(rules, len(order)):
        if node.name == RESET and not _is_reset(rules, done[FINAL]):
            continue
        done[node.name] = _resolve(rules, order, played, node, done)
    return tuple(done.values())


def _is_reset(rules: StageRules, final: Slot) -> bool:
    upper = final.entrants[0]
    return rules.bracket_reset and bool(upper) and upper in final.losers


def _resolve(
    rules: StageRules, order: list[Entrant], played: Rounds, node: Node, done: dict[str, Slot]
) -> Slot:
    at = node.round - 1
    places = tuple(_entrant(order, source, done, len(played)) for source in node.sources)
    slot = partial(Slot, node.name, node.round, node.sources, places)
    if at >= len(played):
        return slot()
    results = [it for it in played[at] if it.pairing.slot.partition("/")[0] == node.name]
    if all(it.pairing.is_bye for it in results):
        return slot(tuple(it.pairing.entrants[0] for it in results))
    decision = decide(rules, order, played[:at], results[0])
    return slot(decision.winners, decision.losers, decision.decided_by)


def _entrant(
    order: list[Entrant], source: Source, done: dict[str, Slot], rounds: int
) -> int | None:
    """Returns the entrant that a source gives, 0 for none, or None while that is open."""
    if source.kind == "seed":
        return order[source.place - 1].number if source.place <= len(order) else 0
    above = done[source.slot]
    known = above.winners if source.kind == "winner" else above.losers
    if len(known) >= source.place:
        return known[source.place - 1]
    return 0 if above.round <= rounds else None


def pair(
    rules: StageRules, entrants: Sequence[Entrant], played: Rounds, absent: Iterable[int] = ()
) -> list[Pairing] | None:
    """Returns the pairings of the next round, or None when the knockout is over."""
    missing = set(absent)
    number = len(played) + 1
    slots = [slot for slot in bracket(rules, entrants, played) if slot.round >= number]
    if not slots:
        return None
    found = []
    for slot in (slot for slot in slots if slot.round == number):
        present = tuple(it for it in slot.entrants if it and it not in missing)
        if len(present) > qualifying_places(len(slot.entrants), slot.name) or len(present) == 1:
            found.append(Pairing(present, slot.name))
        else:  # a table that all of its entrants survive is not played
            found += [Pairing((it,), f"{slot.name}/{at}") for at, it in enumerate(present, 1)]
    return found


def table(rules: StageRules, entrants: Sequence[Entrant], played: Rounds) -> tuple[Row, ...]:
    """Returns the table: a later exit is a better place, exits in one round share a place."""
    slots = bracket(rules, entrants, played)
    out = _left(rules, slots, played)
    past = history(played)
    won = _pairings_won(slots)
    order = by_seed(entrants)
    keys = {it.number: _key(it.number, out, slots) for it in order}
    ranked = sorted((it for it in order if not it.guest), key=lambda it: (keys[it.number], it.seed))
    rows: list[Row] = []
    for at, entrant in enumerate([*ranked, *(it for it in order if it.guest)]):
        key = keys[entrant.number]
        is_shared = bool(rows) and key == keys[rows[-1].number]
        place = rows[-1].place if is_shared and not entrant.guest else at + 1
        rows.append(
            Row(
                entrant.number,
                None if entrant.guest else place,
                Fraction(won.get(entrant.number, 0)),
                decided_by="" if is_shared or not rows else "round",
                played=sum(
                    entrant.number in it.pairing.entrants and not it.pairing.is_bye
                    for results in played
                    for it in results
                ),
                byes=past.byes[entrant.number],
                out=out.get(entrant.number),
            )
        )
    return tuple(rows)


def _key(number: int, out: dict[int, int], slots: tuple[Slot, ...]) -> tuple[int, int]:
    last = {slot.name: slot for slot in slots}
    third = last.get(THIRD_PLACE)
    left = -out.get(number, 10**6)
    if third and third.winners and number in third.entrants:
        return left, int(number not in third.winners)
    final = last[FINAL]
    if len(final.entrants) > 2:
        placed = (*final.winners, *final.losers)
        return (left if number not in placed else -(10**6)), (
            placed.index(number) if number in placed else 0
        )
    return left, 0


def _left(rules: StageRules, slots: tuple[Slot, ...], played: Rounds) -> dict[int, int]:
    """Returns the round in which each entrant left."""
    out: dict[int, int] = {}
    for slot in slots:
        if slot.round > len(played) or slot.name == THIRD_PLACE:
            continue
        stays = slot.name.startswith("W") and rules.format == "double-elimination"
        stays = stays or (slot.name == FINAL and RESET in {it.name for it in slots})
        present = {*slot.winners, *slot.losers}
        for number in (it for it in slot.entrants if it):
            if number not in present or (number in slot.losers and not stays):
                out[number] = slot.round
    return out


def _pairings_won(slots: tuple[Slot, ...]) -> dict[int, int]:
    won: dict[int, int] = {}
    for slot in (slot for slot in slots if slot.losers):
        for number in slot.winners:
            won[number] = won.get(number, 0) + 1
    return won
