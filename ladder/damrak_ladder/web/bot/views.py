"""Public pages of bots and their versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from damrak_ladder.bots.journey import journey
from damrak_ladder.bots.models import Bot, Promotion, Version
from damrak_ladder.highlights.queries import stories_of
from damrak_ladder.matches.models import Ladder
from damrak_ladder.profiles.pace import pace_of_version
from damrak_ladder.profiles.style import style_of
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Standing
from damrak_ladder.standings.read.rating_history import MOST_VERSIONS, Point, histories
from damrak_ladder.tournaments.trophies import trophies
from damrak_ladder.web.block import lists
from damrak_ladder.web.bot.profile import Profile, faults_of, profile_of
from damrak_ladder.web.site.access import may_see_inside
from damrak_ladder.web.site.charts import Chart, Mark, Series, chart
from damrak_ladder.web.site.links import address
from damrak_ladder.web.site.pagination import before

_SHOWN: Final = (
    *("version", "seats", "elo", "low", "high", "rank", "rank_low", "rank_high", "first", "games"),
    *(
        "ladder__slug",
        "ladder__name",
        "ladder__anchors",
    ),  # other fields of a ladder take long to read
)
VERSIONS: Final = 50
PROMOTIONS: Final = 30
STORIES: Final = 5


@dataclass(frozen=True, slots=True)
class Course:
    """The rating history of a bot on one ladder."""

    ladder: Ladder
    chart: Chart | None


def bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a bot: its ratings, their history, and its games."""
    found = get_object_or_404(Bot.objects.select_related("owner", "live"), slug=slug)
    versions = list(found.versions.order_by("-number")[:VERSIONS])
    standings = _standings(versions)
    live = [one for one in standings if one.version_id == found.live_id and one.seats == ALL]
    face = found.live or (versions[0] if versions else None)
    if face is not None:
        face.bot = found
    promotions = list(found.promotions.select_related("after").order_by("-pk")[:PROMOTIONS])
    ladders = _busiest(standings)
    courses = _courses(ladders, versions, promotions)
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
        "courses": courses,
        "ladders": ladders,
        "profile": (profile := _profile(request, ladders, face)),
        "style": profile and style_of(profile.ladder, profile.version, found.name),
        "stories": stories_of([version.pk for version in versions], STORIES),
        "pace": None if face is None else pace_of_version(face),
        "face": face,
        "faults": faults_of([version.pk for version in versions]),
        "page": lists.of_versions([version.pk for version in versions], before(request), 15),
        "is_mine": may_see_inside(request.user, found.owner_id),
        "promotions": promotions[:10],
        "trophies": trophies([found.pk]),
    }
    return render(request, "web/bot/bot.html", context)


def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a version: its ratings, its results and its faults, with reasons."""
    versions = Version.objects.select_related("bot__owner", "bot__live")
    found = get_object_or_404(versions, bot__slug=slug, number=number)
    is_mine = may_see_inside(request.user, found.bot.owner_id)
    standings = _standings([found])
    ladders = _busiest(standings)
    courses = _courses(ladders, [found])
    context = {
        "bot": found.bot,
        "version": found,
        "is_mine": is_mine,
        "standings": standings,
        "courses": courses,
        "ladders": ladders,
        "profile": _profile(request, ladders, found),
        "pace": pace_of_version(found),
        "faults": faults_of([found.pk]),
        "steps": journey(found) if is_mine else [],
        "page": lists.of_versions([found.pk], before(request), 15),
    }
    return render(request, "web/bot/version.html", context)


def _standings(versions: Sequence[Version]) -> list[Standing]:
    found = Standing.objects.filter(version__in=versions, blocks__gt=0).select_related("ladder")
    return list(found.only(*_SHOWN).order_by("ladder__slug", "seats"))


def _busiest(standings: Sequence[Standing]) -> list[Ladder]:
    """Return the ladders on which any of these versions was rated, by games, the most first."""
    ladders = {one.ladder_id: one.ladder for one in standings}
    games = {key: sum(one.games for one in standings if one.ladder_id == key) for key in ladders}
    return [ladders[key] for key in sorted(ladders, key=lambda key: -games[key])]


def _courses(
    ladders: Sequence[Ladder],
    versions: Sequence[Version],
    promotions: Sequence[Promotion] = (),
) -> list[Course]:
    """Return a chart of these versions for each of the first two ladders."""
    charted, newest = ladders[:2], versions[:MOST_VERSIONS]
    keys = [ladder.pk for ladder in charted]
    courses = histories(keys, [version.pk for version in newest]) if keys else {}
    return [Course(one, _chart(courses[one.pk], newest, promotions)) for one in charted]


def _profile(
    request: HttpRequest, ladders: Sequence[Ladder], version: Version | None
) -> Profile | None:
    """Return the profile of the version on the requested ladder, or else on the busiest."""
    if version is None or not ladders:
        return None
    asked = request.GET.get("ladder", "")
    return profile_of(next((one for one in ladders if one.slug == asked), ladders[0]), version)


def _chart(
    courses: Mapping[int, Sequence[Point]],
    versions: Sequence[Version],
    promotions: Sequence[Promotion],
) -> Chart | None:
    series = [
        Series(
            f"v{version.number}",
            address("web:version", version.bot.slug, version.number),
            courses[version.pk],
        )
        for version in versions
        if not _is_fixed(courses[version.pk])
    ]
    if not series:
        return None
    marks = [Mark(f"v{one.after.number}", one.at) for one in promotions if one.after]
    return chart(series, timezone.now(), marks)


def _is_fixed(points: Sequence[Point]) -> bool:
    """Return whether these are the ratings of a fixed anchor, whose chart would be a flat line."""
    return len({(one.elo, one.low, one.high) for one in points}) == 1 and (
        points[0].low == points[0].high
    )
