"""Checks of the configured Elo of anchors against the games.

Each uncertain anchor is compared with its estimate from the games alone: a fit of the same blocks
with only the fixed anchor, and without the priors. The checks are made when ratings are published.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.ratings import Ratings, rate
from damrak_ladder.standings.fit.snapshot import Snapshot
from damrak_ladder.standings.models import Fit

_DOUBTFUL: Final = 2.0  # in standard deviations of the difference
_WRONG: Final = 3.0
_VAGUE: Final = 3.0  # a standard error of this many stated standard deviations is inconclusive


class Verdict(StrEnum):
    """The result of comparing a configured Elo with the games."""

    FITS = "fits"
    DOUBTFUL = "doubtful"
    WRONG = "wrong"
    FEW = "few"
    """There are too few games for a conclusion."""
    NONE = "none"
    """There are no games of this anchor, or none of the fixed one."""


@dataclass(frozen=True, slots=True)
class AnchorCheck:
    """The configured Elo of an uncertain anchor and its estimate from the games; whole Elo."""

    version: int
    stated: float
    stated_error: float
    found: int | None = None  # None while the fixed anchor has no games
    found_error: int | None = None

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> AnchorCheck:
        """Return the check that a fit has stored."""
        return cls(**data)

    @property
    def difference(self) -> float | None:
        """The difference in standard deviations of both uncertainties combined."""
        if self.found is None or self.found_error is None:
            return None
        return (self.found - self.stated) / math.hypot(self.stated_error, self.found_error)

    @property
    def verdict(self) -> Verdict:
        """Whether both values agree."""
        off = self.difference
        if off is None or self.found_error is None:
            return Verdict.NONE
        if abs(off) > _WRONG:
            return Verdict.WRONG
        if abs(off) > _DOUBTFUL:
            return Verdict.DOUBTFUL
        return Verdict.FEW if self.found_error > _VAGUE * self.stated_error else Verdict.FITS


def anchor_checks(snapshot: Snapshot, whole: Ratings) -> tuple[AnchorCheck, ...]:
    """Return the check of every uncertain anchor that has played; `whole` is the published fit."""
    scale = snapshot.scale
    uncertain = sorted(scale.errors)
    if not uncertain:
        return ()
    keys = [int(snapshot.versions[at]) for at in uncertain]
    if not scale.fixed:
        return tuple(
            AnchorCheck(key, scale.anchors[at], scale.errors[at])
            for key, at in zip(keys, uncertain, strict=True)
        )
    alone = rate(snapshot.history, len(snapshot.versions), scale.without_priors, whole)
    return tuple(
        AnchorCheck(
            version=key,
            stated=scale.anchors[at],
            stated_error=scale.errors[at],
            found=round(float(alone.elo[at])),
            found_error=max(1, round(float(alone.widths[at]))),
        )
        for key, at in zip(keys, uncertain, strict=True)
    )


def latest_checks(ladder: Ladder) -> dict[str, AnchorCheck]:
    """Return the checks of the latest publication, by the spec of the anchor."""
    return checks_by_spec(Fit.objects.filter(ladder=ladder).order_by("-number").first())


def checks_by_spec(fit: Fit | None) -> dict[str, AnchorCheck]:
    """Return the checks of a publication, by the spec of the anchor."""
    if fit is None or not fit.anchor_checks:
        return {}
    checks = {check.version: check for check in map(AnchorCheck.parse, fit.anchor_checks)}
    specs = Version.objects.filter(pk__in=list(checks)).values_list("pk", "spec")
    return {spec: checks[pk] for pk, spec in specs}
