"""All distributions of the contracts that are consistent with the events that one seat saw.

Only for tiny boards. The source is the seat's own redacted history, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations

from damrak_engine.events import Deal, Event, Fault, Keep, Offer
from damrak_engine.rules import Rules

# The contracts that each seat kept, in this order; those that each is choosing from; those under
# the pile.
ContractWorld = tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...], tuple[int, ...]]
ContractState = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...]]


def contract_worlds(rules: Rules, history: Sequence[Event]) -> set[ContractWorld]:
    """Return all possible distributions of the contracts, which are equally likely."""
    seats = rules.seats
    everything = range(len(rules.board.contracts))
    worlds: set[ContractWorld] = {(((),) * seats, ((),) * seats, ())}
    to_choose = seats
    for event in history:
        match event:
            case Deal(contracts=offers):
                worlds = _deal(worlds, offers, everything)
            case Offer(seat=seat, contracts=ids):
                worlds = {w for world in worlds for w in _offer(world, seat, ids, everything)}
            case Keep(seat=seat, contracts=ids):
                worlds = {w for world in worlds for w in _keep(world, seat, ids)}
            case Fault(seat=seat):
                worlds = {_abandon(world, seat) for world in worlds}
        to_choose -= isinstance(event, Keep | Fault)
        if to_choose == 0 and rules.options.returned_order == "shuffled":
            worlds = {(*world[:2], order) for world in worlds for order in permutations(world[2])}
            to_choose = -1
    return worlds


def as_states(worlds: set[ContractWorld]) -> dict[ContractState, Fraction]:
    """Return the probabilities of contract states, in which hands are unordered."""
    chances: dict[ContractState, Fraction] = {}
    for kept, offers, returned in worlds:
        state = (tuple(sum(1 << i for i in held) for held in kept), offers, returned)
        chances[state] = chances.get(state, Fraction(0)) + Fraction(1, len(worlds))
    return chances


def _deal(
    worlds: set[ContractWorld], offers: Sequence[tuple[int | None, ...]], everything: range
) -> set[ContractWorld]:
    found = set()
    for kept, _, returned in worlds:
        for order in permutations(everything, 2 * len(offers)):
            pairs = tuple(zip(order[::2], order[1::2], strict=True))
            if all(_fits(pair, seen) for pair, seen in zip(pairs, offers, strict=True)):
                found.add((kept, pairs, returned))
    return found


def _offer(
    world: ContractWorld, seat: int, seen: tuple[int | None, ...], everything: range
) -> Iterator[ContractWorld]:
    kept, offers, returned = world
    away = {*returned, *(i for held in (*kept, *offers) for i in held)}
    undrawn = [i for i in everything if i not in away]
    fresh = min(len(seen), len(undrawn))
    old = len(seen) - fresh
    for first in permutations(undrawn, fresh):
        drawn = (*first, *returned[:old])
        if _fits(drawn, seen):
            yield kept, _with(offers, seat, drawn), returned[old:]


def _keep(world: ContractWorld, seat: int, seen: tuple[int | None, ...]) -> Iterator[ContractWorld]:
    kept, offers, returned = world
    offer = offers[seat]
    for choice in range(1, 1 << len(offer)):
        chosen = tuple(c for i, c in enumerate(offer) if choice >> i & 1)
        if len(chosen) == len(seen) and _fits(chosen, seen):
            held = (*kept[seat], *chosen)
            rest = tuple(c for c in offer if c not in chosen)
            yield _with(kept, seat, held), _with(offers, seat, ()), (*returned, *rest)


def _abandon(world: ContractWorld, seat: int) -> ContractWorld:
    kept, offers, returned = world
    return kept, _with(offers, seat, ()), (*returned, *offers[seat])


def _with(items: tuple, index: int, item: object) -> tuple:  # type: ignore[type-arg]
    return (*items[:index], item, *items[index + 1 :])


def _fits(ids: tuple[int, ...], seen: tuple[int | None, ...]) -> bool:
    return all(shown in (None, i) for i, shown in zip(ids, seen, strict=True))
