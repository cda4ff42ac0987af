"""Divisions of a league's season as stages of its rules, and the play-offs between them.

A division is a stage that takes a range of seeds. A play-off is a pairing of one place of a
division with one place of the next division.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise
from typing import Any, Final

from damrak_ladder.message_codes import rule_codes as codes
from damrak_ladder.tournaments.errors import BadTournament
from damrak_ladder.tournaments.formats import LeagueRules, RulesError, balanced_sizes
from damrak_ladder.tournaments.log.rules import (
    MOST_STAGES,
    Rules,
    StagePlan,
    parse_rules,
    rules_json,
)

MOST_DIVISIONS: Final = MOST_STAGES // 2


@dataclass(frozen=True, slots=True)
class Shape:
    """The divisions of a season: their sizes, and how they exchange entrants."""

    sizes: tuple[int, ...]
    rules: LeagueRules


def is_division(plan: StagePlan) -> bool:
    """Return whether a stage takes its entrants from the list of entrants."""
    return all(source.stage is None for source in plan.sources)


def divisions_of(rules: Rules) -> list[int]:
    """Return the numbers of the stages that are divisions, the best first."""
    return [number for number, plan in enumerate(rules.stages) if is_division(plan)]


def play_offs_of(rules: Rules) -> dict[int, int]:
    """Return the stages that are play-offs, by the index of the upper division from 0."""
    order = divisions_of(rules)
    found = {}
    for number, plan in enumerate(rules.stages):
        stages = [source.stage for source in plan.sources]
        if len(stages) == 2 and all(one.first == one.last for one in plan.sources):
            for at, pair in enumerate(pairwise(order)):
                if stages == list(pair):
                    found[at] = number
    return found


def league_stages(
    template: Mapping[str, Any], sizes: Sequence[int], rules: LeagueRules
) -> list[dict[str, Any]]:
    """Return the stages of a season as JSON: a division of each size, and the play-offs.

    All divisions are played like `template`.

    Raises:
        BadTournament: so many divisions, or of these sizes, are not possible.
    """
    if not 1 <= len(sizes) <= MOST_DIVISIONS:
        raise BadTournament("divisions", codes.DivisionsOutside(MOST_DIVISIONS))
    try:
        rules.validate()
    except RulesError as problem:
        raise BadTournament("size", problem.message) from None
    ends = list(accumulate(sizes))
    stages: list[dict[str, Any]] = [
        dict(template)
        | {"name": f"Division {at}", "sources": [{"first": end - size + 1, "last": end}]}
        for at, (size, end) in enumerate(zip(sizes, ends, strict=True), 1)
    ]
    if rules.play_off:
        blocks = 2 * int(template.get("blocks") or 1)
        stages += [
            {
                "name": f"Play-off {at + 1}/{at + 2}",
                "format": "single-elimination",
                "blocks": blocks,
                "sources": [
                    {"stage": at, "first": place, "last": place},
                    {"stage": at + 1, "first": rules.swaps + 1, "last": rules.swaps + 1},
                ],
            }
            for at, size in enumerate(sizes[:-1])
            for place in [max(1, size - rules.swaps)]
        ]
    return stages


def shape_of(rules: Rules, swaps: int = 1) -> Shape | None:
    """Return the shape of stages that `league_stages` made; None for others.

    `swaps` is the number of entrants that change places where no play-off states it.
    """
    divisions = [rules.stages[number] for number in divisions_of(rules)]
    starts = [plan.sources[0].first for plan in divisions]
    ends = [plan.sources[0].last for plan in divisions]
    if len(divisions) < 2 or None in ends:
        return None
    sizes = tuple((end or 0) - start + 1 for start, end in zip(starts, ends, strict=True))
    duels = play_offs_of(rules)
    if duels:
        swaps = rules.stages[min(duels.values())].sources[1].first - 1
    found = Shape(sizes, LeagueRules(target=max(sizes), swaps=swaps, play_off=bool(duels)))
    try:
        made = league_stages(rules_json(rules)["stages"][0], sizes, found.rules)
    except BadTournament:
        return None
    return found if with_stages(rules, made).stages == rules.stages else None


def with_stages(rules: Rules, stages: Sequence[Mapping[str, Any]]) -> Rules:
    """Return the rules with these stages instead.

    Raises:
        BadRules
    """
    return parse_rules({**rules_json(rules), "stages": [dict(one) for one in stages]})


def fitted(rules: Rules, entrants: int, guests: int = 0) -> list[dict[str, Any]] | None:
    """Return the stages with divisions for this number of entrants; None if they need no change.

    Guests play in the last division. Divisions that the organisers sized one by one are kept.
    """
    shape = shape_of(rules)
    if shape is None or sum(shape.sizes) == entrants + guests:
        return None
    sizes = balanced_sizes(entrants, len(shape.sizes), shape.rules.target)
    if not sizes or min(sizes) < 2:
        return None
    sizes[-1] += guests
    return league_stages(rules_json(rules)["stages"][0], sizes, shape.rules)


def league_rules_json(rules: LeagueRules) -> dict[str, Any]:
    """Return the rules of a league as JSON, as the league stores them."""
    return asdict(rules)


def league_rules(given: Mapping[str, Any], last: Rules | None) -> LeagueRules:
    """Return the rules of a league, those of the season that was played where it states them."""
    known = {name: given[name] for name in ("target", "swaps", "play_off") if name in given}
    rules = LeagueRules(**known)
    shape = None if last is None else shape_of(last, rules.swaps)
    if shape is None:
        return rules
    target = known.get("target", shape.rules.target)
    return LeagueRules(target=target, swaps=shape.rules.swaps, play_off=shape.rules.play_off)
