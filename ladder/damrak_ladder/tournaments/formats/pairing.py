"""The pairings of the next round of any format."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.tournament_codes import (
    UnavoidableByes,
    UnavoidableOwners,
    UnavoidableRematches,
)
from damrak_ladder.tournaments.formats import knockouts, schedules, swiss, tables
from damrak_ladder.tournaments.formats.culling_table import begun_stages
from damrak_ladder.tournaments.formats.history import History, by_seed, history
from damrak_ladder.tournaments.formats.plans import blocks_of_round, round_count, taking_part
from damrak_ladder.tournaments.formats.randomness import generator, seed_text
from damrak_ladder.tournaments.formats.rules import KNOCKOUTS, PREFERENCES, StageRules
from damrak_ladder.tournaments.formats.values import (
    Entrant,
    FormatError,
    Pairing,
    Round,
    RoundPairing,
)

Cost = dict[str, Fraction | int]
Numbers = Collection[int]


@dataclass(frozen=True, slots=True)
class _Task:
    """A round to be paired: everything that the formats need."""

    rules: StageRules
    entrants: list[Entrant]
    played: Sequence[Round]
    present: list[Entrant]
    seed: bytes | str
    forbidden: tuple[Numbers, ...]
    manual: tuple[Pairing, ...]
    rounds: int

    @property
    def number(self) -> int:
        return len(self.played) + 1

    @property
    def free(self) -> list[Entrant]:
        """Returns present entrants that are not paired by hand."""
        taken = {number for pairing in self.manual for number in pairing.entrants}
        return [entrant for entrant in self.present if entrant.number not in taken]


def pair_round(
    rules: StageRules,
    entrants: Iterable[Entrant],
    played_rounds: Sequence[Round],
    *,
    seed: bytes | str,
    absent: Iterable[int] = (),
    forbidden: Iterable[Numbers] = (),
    manual: Iterable[Sequence[int]] = (),
) -> RoundPairing | None:
    """Returns the pairings of the next round, or None when the stage is over.

    The same arguments give the same pairings. `absent` entrants are not paired; `forbidden` pairs
    never meet; `manual` pairings are kept as they are.

    Raises:
        FormatError: the rules do not fit, or the pairings by hand or forbidden pairs are wrong.
    """
    order = taking_part(rules, entrants)
    rules.validate(len(order))
    if len({it.seed for it in order}) != len(order) or len({it.number for it in order}) != len(
        order
    ):
        raise FormatError("entrants: a seed or a number occurs twice; give each entrant its own")
    missing = set(absent)
    present = [entrant for entrant in order if entrant.number not in missing]
    by_hand = _by_hand(rules, present, manual)
    pairs = tuple(tuple(pair) for pair in forbidden)
    if any(len(set(pair)) != 2 for pair in pairs):
        raise FormatError("forbidden: each entry is a pair of two different entrants")
    rounds = round_count(rules, order)
    task = _Task(rules, order, played_rounds, present, seed, pairs, by_hand, rounds)
    found = _knockout(task, missing) if rules.format in KNOCKOUTS else _round(task)
    if found is None:
        return None
    pairings, cost = found
    blocks = blocks_of_round(rules, order, task.number)
    return RoundPairing(
        task.number,
        (*by_hand, *pairings),
        cost,
        seed_text(seed),
        blocks,
    )


def unavoidable(format_: str, cost: Mapping[str, Any]) -> tuple[Message, ...]:
    """Returns what a pairing of a Swiss round with this cost could not avoid."""
    if format_ not in ("swiss", "swiss-tables"):
        return ()
    parts = (
        ("same_owner", UnavoidableOwners),
        ("rematches", UnavoidableRematches),
        ("second_byes", UnavoidableByes),
    )
    return tuple(kind(int(cost[name])) for name, kind in parts if int(cost.get(name, 0)))


def _by_hand(
    rules: StageRules, present: list[Entrant], manual: Iterable[Sequence[int]]
) -> tuple[Pairing, ...]:
    found = tuple(Pairing(tuple(numbers), manual=True) for numbers in manual)
    if found and rules.format in KNOCKOUTS:
        raise FormatError("manual: a bracket fixes its pairings; change the seeds instead")
    numbers = [number for pairing in found for number in pairing.entrants]
    known = {entrant.number for entrant in present}
    for number in numbers:
        if number not in known:
            raise FormatError(f"manual: entrant {number} does not play this round")
        if numbers.count(number) > 1:
            raise FormatError(f"manual: entrant {number} is paired twice")
    if any(not 1 <= len(pairing.entrants) <= rules.players for pairing in found):
        raise FormatError(f"manual: a pairing has 1 to {rules.players} entrants")
    return found


def _knockout(task: _Task, absent: set[int]) -> tuple[list[Pairing], Cost] | None:
    found = knockouts.pair(task.rules, task.entrants, task.played, absent)
    if found is None:
        return None
    met = history(task.played).met
    pairs = [it.entrants for it in found if len(it.entrants) == 2]
    return found, {"rematches": sum(met(*pair) > 0 for pair in pairs)}


def _round(task: _Task) -> tuple[list[Pairing], Cost] | None:
    if task.number > task.rounds:
        return None
    match task.rules.format:
        case "swiss":
            return _swiss(task, history(task.played), task.free)
        case "swiss-tables":
            past = history(task.played, task.rules.players)
            is_last = task.number == task.rounds
            leaders = task.rules.leaders_together and is_last and bool(task.played)
            return _seat(task, task.free, past, leaders=leaders)
        case "gauntlet":
            return _gauntlet(task), {}
        case "culling":
            return _culling(task)
        case "snapshot":
            return _even(task, task.free, history(task.played, task.rules.players))
        case _:
            return _groups(task)


def _swiss(task: _Task, past: History, entrants: list[Entrant]) -> tuple[list[Pairing], Cost]:
    return swiss.pair(
        entrants,
        past,
        seed=task.seed,
        forbidden=task.forbidden,
        same_owner_apart=task.rules.same_owner_apart,
        rounds_left=task.rounds - task.number,
    )


def _seat(
    task: _Task,
    entrants: list[Entrant],
    past: History,
    *,
    preference: int | None = None,
    leaders: bool = False,
) -> tuple[list[Pairing], Cost]:
    return tables.seat(
        entrants,
        past,
        players=task.rules.players,
        preference=preference or PREFERENCES[task.rules.table_preference],
        seed=task.seed,
        forbidden=task.forbidden,
        same_owner_apart=task.rules.same_owner_apart,
        leaders=leaders,
    )


def _even(task: _Task, entrants: list[Entrant], past: History) -> tuple[list[Pairing], Cost]:
    """Returns a round without regard to scores: only earlier meetings count."""
    level = replace(past)
    level.points = type(past.points)(Fraction)
    drawn = _drawn(entrants, task.seed)
    if task.rules.players == 2:
        return _swiss(task, level, drawn)
    return _seat(task, drawn, level)


def _drawn(entrants: list[Entrant], seed: bytes | str) -> list[Entrant]:
    """Returns the entrants with seeds drawn by lot."""
    seeds = [entrant.seed for entrant in by_seed(entrants)]
    generator(seed, "order").shuffle(seeds)
    return [replace(it, seed=at) for it, at in zip(by_seed(entrants), seeds, strict=True)]


def _culling(task: _Task) -> tuple[list[Pairing], Cost]:
    stage = begun_stages(task.rules, task.entrants, task.played)[-1]
    alive = {entrant.number for entrant in stage.entrants}
    past = history(task.played, task.rules.players)
    return _even(task, [it for it in task.free if it.number in alive], past)


def _gauntlet(task: _Task) -> list[Pairing]:
    challengers, opponents = schedules.gauntlet_sides(task.entrants, task.rules.challengers)
    players = task.rules.players
    once = schedules.gauntlet_rounds(len(challengers), len(opponents), players)
    found = schedules.gauntlet_round(challengers, opponents, players, (task.number - 1) % once)
    free = {entrant.number for entrant in task.free}
    pairings = [tuple(it.number for it in table if it.number in free) for table in found]
    return [
        Pairing(numbers)
        for table, numbers in zip(found, pairings, strict=True)
        if table[0].number in free
    ]


def _groups(task: _Task) -> tuple[list[Pairing], Cost]:
    """Returns a round of a round robin in one or several groups."""
    groups = schedules.snake(task.entrants, task.rules.groups)
    free = {entrant.number for entrant in task.free}
    pairings: list[Pairing] = []
    cost: Cost = {}
    for at, group in enumerate(groups):
        if task.rules.players == 2:
            found = _scheduled(task, group, free)
        else:
            here = [entrant for entrant in group if entrant.number in free]
            found, part = _even(task, here, history(task.played, task.rules.players))
            cost = {name: cost.get(name, 0) + value for name, value in part.items()}
        pairings += [replace(pairing, group=at) for pairing in found]
    return pairings, cost


def _scheduled(task: _Task, group: list[Entrant], free: set[int]) -> list[Pairing]:
    if task.number > schedules.circle_rounds(len(group), double=task.rules.double):
        return []  # a smaller group is ready earlier
    at = (task.number - 1) % schedules.circle_rounds(len(group))
    numbers = [
        tuple(group[it].number for it in pair if group[it].number in free)
        for pair in schedules.circle(len(group), at)
    ]
    return [Pairing(pair) for pair in numbers if pair]
