"""How long a stage is and what it costs, before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import ceil, log2

from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.tournament_codes import (
    ByeLikeWin,
    MoreMeetingsThanPairs,
    MoreRoundsThanOpponents,
    OwnerFillsField,
    OwnerFillsTables,
    RematchesPossible,
    TooFewOpponents,
)
from damrak_ladder.tournaments.formats import brackets, culling, schedules
from damrak_ladder.tournaments.formats.history import by_seed
from damrak_ladder.tournaments.formats.lookahead import MOST_NODES, safe_rounds
from damrak_ladder.tournaments.formats.rules import KNOCKOUTS, StageRules
from damrak_ladder.tournaments.formats.tables import table_sizes
from damrak_ladder.tournaments.formats.values import Entrant, Plan, PlannedRound


def taking_part(rules: StageRules, entrants: Iterable[Entrant]) -> list[Entrant]:
    """Returns the entrants of the stage by seed: the first `field` of them."""
    order = by_seed(entrants)
    return order if rules.field is None else order[: rules.field]


def swiss_rounds(entrants: int) -> int:
    """Returns the usual number of rounds: 5 for 16 entrants, 8 for 64."""
    usual = ceil(1.25 * log2(max(2, entrants)))
    return max(1, min(usual, entrants + entrants % 2 - 1))


def round_count(rules: StageRules, entrants: Sequence[Entrant]) -> int:
    """Returns the number of rounds of a stage, without a second final."""
    count = len(entrants)
    if rules.format in KNOCKOUTS:
        slots = brackets.nodes(rules, count)
        return max(it.round for it in slots if it.name != brackets.RESET)
    if rules.format == "culling":
        return sum(it.rounds for it in culling_stages(rules, count))
    if rules.format == "gauntlet":
        sides = schedules.gauntlet_sides(entrants, rules.challengers)
        return schedules.gauntlet_rounds(len(sides[0]), len(sides[1]), rules.players) * (
            2 if rules.double else 1
        )
    if rules.format in ("round-robin", "groups"):
        largest = -(-count // rules.groups)
        if rules.players == 2:
            whole = schedules.circle_rounds(largest, double=rules.double)
            return min(rules.rounds or whole, whole)
        return rules.rounds or _table_rounds(largest, rules)
    return rules.rounds or swiss_rounds(count)


def _table_rounds(count: int, rules: StageRules) -> int:
    """Returns the rounds after which all entrants can have met at tables."""
    once = max(1, ceil((count - 1) / (rules.players - 1)))
    return 2 * once if rules.double else once


def culling_stages(rules: StageRules, entrants: int) -> tuple[culling.CullingStage, ...]:
    """Returns the stages of a culling."""
    return culling.stages(rules, entrants, rules.rounds or swiss_rounds(entrants))


def blocks_of_round(rules: StageRules, entrants: Sequence[Entrant], number: int) -> int:
    """Returns the blocks of each pairing in a round (from 1)."""
    if rules.format == "culling":
        stages = culling_stages(rules, len(entrants))
        found = culling.stage_of_round(stages, number - 1)
        return stages[found[0] if found else -1].blocks
    if rules.final_blocks is None or number < round_count(rules, entrants):
        return rules.blocks
    return rules.final_blocks


def plan(
    rules: StageRules, entrants: Iterable[Entrant], forbidden: Iterable[Collection[int]] = ()
) -> Plan:
    """Returns the rounds of a stage with their pairings, blocks and games, and warnings.

    `forbidden` are the pairs that an organiser forbids in any of the rounds.

    Raises:
        FormatError: the rules do not fit these entrants.
    """
    order = taking_part(rules, entrants)
    rules.validate(len(order))
    rounds, reset = _rounds(rules, order)
    pairings = sum(it.pairings for it in rounds)
    blocks = sum(it.blocks for it in rounds)
    games = sum(it.games for it in rounds)
    return Plan(
        tuple(rounds),
        pairings,
        blocks,
        games,
        at_most_pairings=pairings + bool(reset),
        at_most_blocks=blocks + (reset.blocks if reset else 0),
        at_most_games=games + (reset.games if reset else 0),
        warnings=tuple(_warnings(rules, order, len(rounds), forbidden)),
    )


def _rounds(
    rules: StageRules, order: list[Entrant]
) -> tuple[list[PlannedRound], PlannedRound | None]:
    if rules.format in KNOCKOUTS:
        return _knockout_rounds(rules, order)
    return [
        _planned(f"{number}", _sizes(rules, order, number), blocks_of_round(rules, order, number))
        for number in range(1, round_count(rules, order) + 1)
    ], None


def _planned(name: str, sizes: Sequence[int], blocks: int) -> PlannedRound:
    played = [size for size in sizes if size > 1]
    pairings = len(played)
    byes = len(sizes) - pairings
    return PlannedRound(name, pairings, pairings * blocks, sum(played) * blocks, byes)


def _sizes(rules: StageRules, order: list[Entrant], number: int) -> list[int]:
    """Returns the sizes of all pairings of a round; a bye has size 1."""
    if rules.format == "culling":
        stages = culling_stages(rules, len(order))
        found = culling.stage_of_round(stages, number - 1)
        return _split(stages[found[0] if found else -1].entrants, rules.players)
    if rules.format == "gauntlet":
        sides = schedules.gauntlet_sides(order, rules.challengers)
        at = (number - 1) % schedules.gauntlet_rounds(len(sides[0]), len(sides[1]), rules.players)
        return [len(it) for it in schedules.gauntlet_round(*sides, rules.players, at)]
    groups = schedules.snake(order, rules.groups)
    if rules.players == 2 and rules.format in ("round-robin", "groups"):
        return [
            len(pair)
            for group in groups
            if number <= schedules.circle_rounds(len(group), double=rules.double)
            for pair in schedules.circle(len(group), number - 1)
        ]
    return [size for group in groups for size in _split(len(group), rules.players)]


def _split(count: int, players: int) -> list[int]:
    return [2] * (count // 2) + [1] * (count % 2) if players == 2 else table_sizes(count, players)


def _knockout_rounds(
    rules: StageRules, order: list[Entrant]
) -> tuple[list[PlannedRound], PlannedRound | None]:
    """Counts pairings by playing the bracket with the number of entrants each slot can hold."""
    held: dict[str, int] = {}
    sizes: dict[int, list[int]] = {}
    for node in brackets.nodes(rules, len(order)):
        here = 0
        for source in node.sources:
            if source.kind == "seed":
                here += source.place <= len(order)
            elif source.kind == "winner":
                here += source.place <= min(_qualifying(rules, source.slot), held[source.slot])
            else:
                here += source.place <= held[source.slot] - _qualifying(rules, source.slot)
        held[node.name] = here
        is_played = here > _qualifying(rules, node.name)
        sizes.setdefault(node.round, []).extend([here] if is_played else [1] * here)
    last = max(sizes)
    blocks = rules.final_blocks or rules.blocks
    reset = None
    if rules.format == "double-elimination":
        reset = _planned("F2", sizes.pop(last), blocks) if rules.bracket_reset else None
        last -= 1
        sizes = {number: found for number, found in sizes.items() if number <= last}
    return [
        _planned(
            "final" if number == last else f"{number}",
            sizes[number],
            blocks if number == last else rules.blocks,
        )
        for number in sorted(sizes)
    ], reset


def _qualifying(rules: StageRules, slot: str) -> int:
    return 2 if rules.players == 4 and slot != brackets.FINAL else 1


def _warnings(
    rules: StageRules, order: list[Entrant], rounds: int, forbidden: Iterable[Collection[int]]
) -> Iterable[Message]:
    count = len(order)
    if rules.format == "swiss" or (rules.format == "snapshot" and rules.players == 2):
        yield from _swiss_warnings(rules, order, rounds, forbidden)
    if rules.format in ("swiss-tables", "snapshot", "culling") and rules.players > 2:
        yield from _table_warnings(rules, count, rounds)
    if rules.format == "swiss-tables" and rules.same_owner_apart:
        tables = len(table_sizes(count, rules.players))
        for entrants in _owners(order).values():
            if entrants > tables:
                yield OwnerFillsTables(entrants, tables)
    if rules.bye_points == 1 and rules.players > 2 and table_sizes(count, rules.players)[-1] == 1:
        yield ByeLikeWin()


def _owners(order: list[Entrant]) -> Counter[int]:
    """Returns the number of entrants of each owner."""
    return Counter(it.owner for it in order if it.owner is not None)


def _swiss_warnings(
    rules: StageRules, order: list[Entrant], rounds: int, forbidden: Iterable[Collection[int]]
) -> Iterable[Message]:
    """Yields why a round of a Swiss for two may not be possible without a rematch."""
    count = len(order)
    nodes = count + count % 2  # a bye is a partner
    owners = _owners(order if rules.same_owner_apart else [])
    crowds = [entrants for entrants in owners.values() if entrants > nodes // 2]
    yield from (OwnerFillsField(entrants, count) for entrants in crowds)
    if rounds > nodes - 1:
        over = rounds - (nodes - 1)
        yield MoreRoundsThanOpponents(count, rounds, over * (count // 2), nodes - 1)
    elif not crowds:
        if nodes <= MOST_NODES:
            groups = [*owners.values(), *[1] * (nodes - owners.total())]
            apart, possible = max(groups) - 1, safe_rounds(groups)
        else:  # possible as long as everybody has half of the field left (Dirac's theorem)
            apart = _most_apart(order, owners, forbidden)
            possible = max(0, nodes // 2 - apart)
        if rounds > possible and apart:
            yield TooFewOpponents(count, rounds, apart, possible)
        elif rounds > possible:
            yield RematchesPossible(count, rounds, possible)


def _most_apart(
    order: list[Entrant], owners: Counter[int], forbidden: Iterable[Collection[int]]
) -> int:
    """Returns the largest number of others that an entrant does not meet."""
    found = Counter(number for pair in set(map(frozenset, forbidden)) for number in pair)
    for it in order:
        if it.owner is not None:
            found[it.number] += max(0, owners[it.owner] - 1)
    return max(found.values(), default=0)


def _table_warnings(rules: StageRules, count: int, rounds: int) -> Iterable[Message]:
    sizes = table_sizes(count, rules.players)
    meetings = rounds * sum(size * (size - 1) // 2 for size in sizes)
    pairs = count * (count - 1) // 2
    if rules.format != "culling" and meetings > pairs:
        yield MoreMeetingsThanPairs(count, rounds, meetings, pairs, meetings - pairs)
