"""A bot and its versions, as everybody sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone

from damrak_ladder.bots.journey import journey
from damrak_ladder.bots.models import Bot, Version
from damrak_ladder.matches.models import Blame, Fault, Ladder
from damrak_ladder.standings.curves import MOST_VERSIONS, history
from damrak_ladder.standings.figures import ALL
from damrak_ladder.standings.models import Standing
from damrak_ladder.web import blocks
from damrak_ladder.web.access import may_see_inside
from damrak_ladder.web.charts import Chart, Series, chart
from damrak_ladder.web.opposition import opponents_of
from damrak_ladder.web.pages import before

VERSIONS: Final = 50
FAULTS: Final = 15


@dataclass(frozen=True, slots=True)
class Course:
    """How a bot went on one ladder."""

    ladder: Ladder
    chart: Chart | None


def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """A bot: where it stands, how it got there, and what it played."""
    found = get_object_or_404(Bot.objects.select_related("owner", "live"), slug=slug)
    versions = list(found.versions.order_by("-number")[:VERSIONS])
    standings = _standings(versions)
    live = [one for one in standings if one.version_id == found.live_id and one.seats == ALL]
    context = {
        "bot": found,
        "versions": [
            (
                version,
                [one for one in standings if one.version_id == version.pk and one.seats == ALL],
            )
            for version in versions
        ],
        "standings": live,
        "courses": _courses(standings, versions),
        "page": blocks.of_versions([version.pk for version in versions], before(request), 15),
        "is_mine": may_see_inside(request.user, found.owner_id),
        "promotions": found.promotions.select_related("after", "before").order_by("-pk")[:10],
    }
    return render(request, "web/bot.html", context)


def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A version: its ratings, its results and its faults, with reasons."""
    versions = Version.objects.select_related("bot__owner", "bot__live")
    found = get_object_or_404(versions, bot__slug=slug, number=number)
    is_mine = may_see_inside(request.user, found.bot.owner_id)
    faults = Fault.objects.filter(seat__version=found, owner=Blame.BOT)
    standings = _standings([found])
    courses = _courses(standings, [found])
    context = {
        "bot": found.bot,
        "version": found,
        "is_mine": is_mine,
        "standings": standings,
        "courses": courses,
        "opponents": opponents_of(courses[0].ladder, found.pk) if courses else [],
        "steps": journey(found) if is_mine else [],
        "reasons": list(
            faults.values("reason").annotate(count=Count("pk")).order_by("-count", "reason")[:10]
        ),
        "faults": list(faults.select_related("match").order_by("-pk")[:FAULTS]),
        "page": blocks.of_versions([found.pk], before(request), 15),
    }
    return render(request, "web/version.html", context)


def _standings(versions: Sequence[Version]) -> list[Standing]:
    found = Standing.objects.filter(version__in=versions, blocks__gt=0).select_related("ladder")
    return list(found.order_by("ladder__slug", "seats"))


def _courses(standings: Sequence[Standing], versions: Sequence[Version]) -> list[Course]:
    """A chart for each ladder on which any of these versions was rated, the busiest two."""
    ladders = {one.ladder_id: one.ladder for one in standings}
    games = {key: sum(one.games for one in standings if one.ladder_id == key) for key in ladders}
    busiest = sorted(ladders, key=lambda key: -games[key])[:2]
    return [Course(ladders[key], _chart(ladders[key], versions)) for key in busiest]


def _chart(ladder: Ladder, versions: Sequence[Version]) -> Chart | None:
    newest = versions[:MOST_VERSIONS]
    courses = history(ladder, [version.pk for version in newest])
    series = [
        Series(
            f"v{version.number}",
            reverse("web:version", args=[version.bot.slug, version.number]),
            courses[version.pk],
        )
        for version in newest
    ]
    return chart(series, timezone.now())
