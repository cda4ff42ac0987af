"""Flows: the accounts of fair sharing. They share the machine in proportion to their weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from damrak_ladder.matches.models import Ladder

QUALIFICATION: Final = "qualification"
PEOPLE: Final = "people"
"""The flow of games of people, which the relay starts; the scheduler does not."""

BURST: Final = "burst"
"""The flow of the first blocks of tests, of all owners together."""

OWNER_WEIGHT: Final = 0.5
"""The weight of all tests and canaries of one owner; a ladder usually has 1."""

TOURNAMENT_WEIGHT: Final = 2.0
_LADDER: Final = "ladder:"
_OWNER: Final = "owner:"
_TOURNAMENT: Final = "tournament:"


def ladder_flow(ladder: Ladder) -> str:
    """Return the flow of a ladder's own blocks."""
    return f"{_LADDER}{ladder.slug}"


def owner_flow(owner_id: int) -> str:
    """Return the flow of an owner's tests and canaries."""
    return f"{_OWNER}{owner_id}"


def tournament_flow(tournament_id: int) -> str:
    """Return the flow of a tournament."""
    return f"{_TOURNAMENT}{tournament_id}"


def weights_of(flows: Iterable[str]) -> dict[str, float]:
    """Return the weight of each of these flows.

    Qualification weighs as much as all others together, so it gets at most half of the machine. The
    first blocks of tests weigh as much as all others except qualification: at most half of what
    qualification leaves.
    """
    found: dict[str, float] = {}
    wanted = set(flows)
    slugs = {flow.removeprefix(_LADDER) for flow in wanted if flow.startswith(_LADDER)}
    ladders = dict(Ladder.objects.filter(slug__in=slugs).values_list("slug", "weight"))
    for flow in sorted(wanted - {QUALIFICATION, BURST}):
        if flow.startswith(_LADDER):
            found[flow] = ladders.get(flow.removeprefix(_LADDER), 1.0)
        elif flow.startswith(_OWNER):
            found[flow] = OWNER_WEIGHT
        else:
            found[flow] = TOURNAMENT_WEIGHT if flow.startswith(_TOURNAMENT) else 1.0
    if BURST in wanted:
        found[BURST] = sum(found.values()) or 1.0
    if QUALIFICATION in wanted:
        found[QUALIFICATION] = sum(found.values()) or 1.0
    return found
