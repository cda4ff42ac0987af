"""Stories as pages, feeds and the front page show them, in a limited number of queries."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from damrak_ladder.highlights.games import monday_of
from damrak_ladder.highlights.models import Story, WeekForm
from damrak_ladder.matches.models import BlockState
from damrak_ladder.tournaments.visibility import visible_matches

MOST: Final = 60
FEWEST_GAMES: Final = 10
"""The number of games from which a version can be the bot of the week."""


@dataclass(frozen=True, slots=True)
class Span:
    """A day or a week, and its neighbours; `later` is None for the current one."""

    first: date
    last: date
    is_week: bool
    earlier: date
    later: date | None


def span_of(asked: str, today: date, *, is_week: bool) -> Span:
    """Return the day or week that contains an asked date, or else the current one."""
    try:
        day = min(date.fromisoformat(asked), today)
        day = max(day, date(2000, 1, 10))
    except ValueError:
        day = today
    first = monday_of(day) if is_week else day
    step = timedelta(days=7 if is_week else 1)
    later = first + step
    return Span(
        first, later - timedelta(days=1), is_week, first - step, later if later <= today else None
    )


def stories_between(first: date, last: date, most: int = MOST) -> list[Story]:
    """Return the stories of these days whose results are public, the best first."""
    rows = Story.objects.filter(day__gte=first, day__lte=last).order_by("-worth", "-pk")
    public = visible_matches(None).filter(block__state=BlockState.RECORDED)
    return list(rows.filter(match__in=public).select_related("ladder", "version__bot")[:most])


def stories_of(versions: Collection[int], most: int) -> list[Story]:
    """Return the best stories of these versions whose results are public."""
    rows = Story.objects.filter(version__in=versions).order_by("-worth", "-pk")
    public = visible_matches(None).filter(block__state=BlockState.RECORDED)
    return list(rows.filter(match__in=public).select_related("ladder", "version__bot")[:most])


def bot_of_week(monday: date) -> WeekForm | None:
    """Return the version that won most games beyond those expected of its rating."""
    rows = WeekForm.objects.filter(monday=monday, games__gte=FEWEST_GAMES, ahead__gt=0)
    return rows.select_related("ladder", "version__bot").order_by("-ahead", "pk").first()
