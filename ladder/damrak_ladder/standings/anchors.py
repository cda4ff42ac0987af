"""Which versions keep their Elo, and where the scale of a ladder lies."""

from __future__ import annotations

from collections.abc import Iterable

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.ratings import Scale


def anchors_of(ladder: Ladder, versions: Iterable[int]) -> dict[int, float]:
    """The anchors among these versions, with their Elo.

    A house bot is known by its spec, so whoever is the same program is the same anchor.
    """
    found = Version.objects.filter(
        pk__in=list(versions), kind=Kind.HOUSE, spec__in=list(ladder.anchors)
    )
    return {pk: float(ladder.anchors[spec]) for pk, spec in found.values_list("pk", "spec")}


def centre_of(ladder: Ladder) -> float:
    """The Elo in the middle of the field as long as no anchor has played."""
    if not ladder.anchors:
        return Scale().centre
    return sum(sorted(ladder.anchors.values())) / len(ladder.anchors)
