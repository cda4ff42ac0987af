"""The versions that are anchors of a ladder, and the origin of its scale."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.ratings import Scale


@dataclass(frozen=True, slots=True)
class Anchors:
    """The configured Elo of anchors and, except for fixed ones, its standard deviation."""

    elo: dict[int, float] = field(default_factory=dict)  # by key of version
    errors: dict[int, float] = field(default_factory=dict)

    def among(self, versions: Collection[int]) -> Anchors:
        """Return the anchors that are among these versions."""
        return Anchors(
            {version: elo for version, elo in self.elo.items() if version in versions},
            {version: error for version, error in self.errors.items() if version in versions},
        )

    def is_fixed(self, version: int) -> bool:
        """Return whether the Elo of this version never changes."""
        return version in self.elo and version not in self.errors


def anchors_of(ladder: Ladder, versions: Iterable[int]) -> Anchors:
    """Return the anchors among these versions.

    A house bot is identified by its spec, so all versions with the same spec are anchors.
    """
    found = Version.objects.filter(
        pk__in=list(versions), kind=Kind.HOUSE, spec__in=list(ladder.anchors)
    )
    specs = dict(found.values_list("pk", "spec"))
    errors = ladder.anchor_errors
    return Anchors(
        {pk: float(ladder.anchors[spec]) for pk, spec in specs.items()},
        {pk: float(errors[spec]) for pk, spec in specs.items() if spec in errors},
    )


def centre_of(ladder: Ladder) -> float:
    """Return the Elo of the middle of the field while no anchor has played."""
    if not ladder.anchors:
        return Scale().centre
    return sum(sorted(ladder.anchors.values())) / len(ladder.anchors)
