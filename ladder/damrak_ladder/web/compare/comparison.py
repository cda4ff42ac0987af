"""A comparison of two versions: the evidence for which is better, and how certain it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.bots.names import begins, slug_of
from damrak_ladder.matches.models import Ladder
from damrak_ladder.profiles.common_opponents import common_opponents
from damrak_ladder.profiles.pace import pace_of_version
from damrak_ladder.profiles.results import Result, Results, results_of
from damrak_ladder.profiles.timing import Pace
from damrak_ladder.standings.counts.encounters import Encounter, head_to_head
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Standing
from damrak_ladder.standings.read.rating_history import history
from damrak_ladder.web.site.charts import Chart, Series, chart
from damrak_ladder.web.site.links import address
from damrak_ladder.web.site.players import Player, players
from damrak_ladder.web.site.tags import bot_name

CANDIDATES: Final = 12
CHOICES: Final = 100
SUGGESTIONS: Final = 300
LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Contestant:
    """One of the two versions, with all results that it has on the ladder."""

    version: Version
    standing: Standing | None
    results: Results
    pace: Pace | None


@dataclass(frozen=True, slots=True)
class Common:
    """An opponent that both have met."""

    opponent: Player
    first: Encounter
    second: Encounter

    @property
    def difference(self) -> float:
        """Return by how much the first did better."""
        return self.first.likely - self.second.likely

    @property
    def is_sure(self) -> bool:
        """Return whether their intervals are disjoint."""
        return self.first.low > self.second.high or self.second.low > self.first.high


@dataclass(frozen=True, slots=True)
class SizeRow:
    """The results of both at tables of one size."""

    seats: int
    first: Result | None
    second: Result | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that is shown of two versions on one ladder."""

    ladder: Ladder
    first: Contestant
    second: Contestant
    met: Encounter | None
    chance: float | None  # p-value of the direct result under equal strength
    common: Sequence[Common]
    sizes: Sequence[SizeRow]
    chart: Chart | None

    @property
    def sides(self) -> tuple[Contestant, Contestant]:
        """Return both contestants."""
        return self.first, self.second


def version_named(text: str) -> Version | None:
    """Return the version with this name, such as `canal-rat:2`; None if there is none.

    A name without a number, such as `canal-rat`, is the live version, or else the newest.
    """
    name, _colon, number = text.strip()[:LONGEST].partition(":")
    found = _version(name.lower(), number)
    if found is None and (slug := slug_of(name.strip())):
        found = _version(slug, number)
    return found


def _version(slug: str, number: str) -> Version | None:
    versions = Version.objects.select_related("bot__owner").filter(bot__slug=slug)
    if number:
        if not (number.isascii() and number.isdigit() and len(number) < 9):
            return None
        return versions.filter(number=int(number)).first()
    live = versions.filter(live_in__slug=slug).first()
    return live or versions.order_by("-number").first()


def versions_of(version: Version) -> list[Version]:
    """Return the latest versions of the same bot, with this one among them."""
    latest = list(version.bot.versions.order_by("-number")[:CHOICES])
    if version not in latest:
        latest.append(version)
    for one in latest:
        one.bot = version.bot  # avoids a query for each
    return latest


def known_bots() -> list[Bot]:
    """Return bots for autocompletion: those that play, up to a useful number."""
    return list(Bot.objects.filter(live__isnull=False).order_by("slug")[:SUGGESTIONS])


def candidates(text: str) -> list[Bot]:
    """Return bots whose slug or name begins with this text."""
    asked = text.partition(":")[0].strip()[:LONGEST]
    if not asked:
        return []
    return list(Bot.objects.filter(begins(asked)).order_by("slug")[:CANDIDATES])


def ladders_of(first: Version, second: Version) -> list[Ladder]:
    """Return the ladders on which both are rated, those with the most games first."""
    rows = Standing.objects.filter(version__in=(first, second), seats=ALL, blocks__gt=0)
    games: dict[Ladder, list[int]] = {}
    for row in rows.select_related("ladder"):
        games.setdefault(row.ladder, []).append(row.games)
    shared = [(ladder, counts) for ladder, counts in games.items() if len(counts) == 2]
    shared.sort(key=lambda one: (-min(one[1]), one[0].slug))
    return [ladder for ladder, _counts in shared]


def compare(ladder: Ladder, first: Version, second: Version, now: datetime) -> Comparison:
    """Return the comparison of both on that ladder, in a constant number of queries."""
    keys = [first.pk, second.pk]
    standings = {
        one.version_id: one
        for one in Standing.objects.filter(ladder=ladder, version__in=keys, seats=ALL, blocks__gt=0)
    }
    results = results_of(ladder, keys)
    sides = [
        Contestant(one, standings.get(one.pk), results[one.pk], pace_of_version(one))
        for one in (first, second)
    ]
    met = head_to_head(ladder, first.pk, second.pk)
    return Comparison(
        ladder=ladder,
        first=sides[0],
        second=sides[1],
        met=met,
        chance=None if met is None else met.chance_of(0.5),
        common=_common(ladder, first.pk, second.pk),
        sizes=_sizes(results[first.pk], results[second.pk]),
        chart=_chart(ladder, (first, second), now),
    )


def _common(ladder: Ladder, first: int, second: int) -> list[Common]:
    pairs = common_opponents(ladder, first, second)
    opponents = players(one.opponent_id for one, _other in pairs)
    return [Common(opponents[one.opponent_id], one, other) for one, other in pairs]


def _sizes(first: Results, second: Results) -> list[SizeRow]:
    ones = {one.seats: one for one in first.sizes}
    others = {one.seats: one for one in second.sizes}
    return [
        SizeRow(seats, ones.get(seats), others.get(seats))
        for seats in sorted(ones.keys() | others.keys())
    ]


def _chart(ladder: Ladder, versions: Sequence[Version], now: datetime) -> Chart | None:
    courses = history(ladder, [version.pk for version in versions])
    series = [
        Series(
            f"{bot_name(version.bot.slug, version.bot.name)} v{version.number}",
            address("web:version", version.bot.slug, version.number),
            courses[version.pk],
        )
        for version in versions
    ]
    return chart(series, now)
