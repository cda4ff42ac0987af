"""The public profile of a version on a ladder, apart from its rating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from damrak_ladder.bots.models import Version
from damrak_ladder.matches.models import Blame, Fault, Ladder
from damrak_ladder.profiles.results import BoardResult, Results, boards_of, results_of
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Standing
from damrak_ladder.tournaments.visibility import visible
from damrak_ladder.web.bot.opponents import Opponent, opponents_of

FAULTS: Final = 15
COUNTED: Final = 500
"""The number of latest faults among which reasons are counted."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How a version plays, against which opponents, and how fast."""

    version: Version
    ladder: Ladder
    results: Results
    boards: Sequence[BoardResult]
    opponents: Sequence[Opponent]


@dataclass(frozen=True, slots=True)
class FaultListed:
    """A fault of a version, and the match in which it happened."""

    match: int | None
    number: int  # of the version
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Faults:
    """The latest faults, and how often each reason occurs among them."""

    latest: Sequence[FaultListed]
    reasons: Sequence[tuple[str, int]]


def profile_of(ladder: Ladder, version: Version) -> Profile:
    """Return the profile of a version on a ladder."""
    return Profile(
        version=version,
        ladder=ladder,
        results=results_of(ladder, [version.pk])[version.pk],
        boards=boards_of(version),
        opponents=opponents_of(ladder, version.pk),
    )


def ratings_of(versions: Iterable[int]) -> dict[int, list[Standing]]:
    """Return the ratings of each of these versions, ladder by ladder, without unrated versions."""
    rows = Standing.objects.filter(version__in=list(versions), seats=ALL, blocks__gt=0)
    shown = ("version", "elo", "low", "high", "ladder__slug", "ladder__name")
    found: dict[int, list[Standing]] = {}
    for row in rows.select_related("ladder").only(*shown).order_by("ladder__slug"):
        found.setdefault(row.version_id, []).append(row)
    return found


def faults_of(versions: Collection[int]) -> Faults:
    """Return the latest faults of these versions."""
    found = visible(Fault, None).filter(version__in=versions, owner=Blame.BOT).order_by("-pk")
    rows = found.values_list("match_id", "version__number", "reason", "detail")[:COUNTED]
    latest = [FaultListed(*row) for row in rows]
    reasons = Counter(fault.reason for fault in latest)
    return Faults(latest[:FAULTS], reasons.most_common(10))
