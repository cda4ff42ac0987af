"""Feed entries: blocks, versions that went live, each day's table, and stories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.core.cache import cache
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext as _

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Promotion
from damrak_ladder.highlights.models import Story
from damrak_ladder.highlights.queries import stories_between
from damrak_ladder.matches.models import Ladder
from damrak_ladder.message_codes.wording import text_or_empty
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.notices.models import Notice
from damrak_ladder.notices.results import without_results
from damrak_ladder.standings.read.table import table
from damrak_ladder.time_ordered_ids import short_form
from damrak_ladder.web.block.lists import BlockListed
from damrak_ladder.web.site.tags import bot_name, halves

DAYS: Final = 3
PLACES: Final = 10
_DAY_S: Final = 24 * 3600

IS_HIDING: Final = ContextVar("is_hiding", default=False)
"""Whether the feed that is being written leaves out who won."""

Place = tuple[str, str, int, int, int, int]
"""Slug and name of a bot, the number of a version, its Elo and the ends of its interval."""


@dataclass(frozen=True, slots=True)
class Item:
    """A feed entry. Its key is stable and the same in every language."""

    key: str
    title: str
    html: str
    link: str
    at: datetime


def of_blocks(rows: Iterable[BlockListed]) -> list[Item]:
    """Return an entry for each block with its result and links to its games."""
    return [_block(row, row.finished) for row in rows if row.finished is not None]


def of_promotions(found: QuerySet[Promotion], limit: int) -> list[Item]:
    """Return entries for versions that went live, the latest first."""
    full = found.filter(after__isnull=False).select_related("bot__owner", "after")
    return [_promotion(one) for one in full.order_by("-pk")[:limit]]


def of_days(ladder: Ladder, now: datetime) -> list[Item]:
    """Return entries with the table at the end of each of the last days."""
    begun = ladder.created.astimezone(UTC).date()
    days = [now.astimezone(UTC).date() - timedelta(days=number + 1) for number in range(DAYS)]
    found = [(day, _first_places(ladder, day)) for day in days if day >= begun]
    return [_day(ladder, day, places) for day, places in found if places]


def latest(limit: int, *lists: Sequence[Item]) -> list[Item]:
    """Return the newest of these entries."""
    return sorted((item for items in lists for item in items), key=_age)[:limit]


def _age(item: Item) -> tuple[float, str]:
    return (-item.at.timestamp(), item.key)


def _block(row: BlockListed, at: datetime) -> Item:
    names = [bot_name(side.version.bot.slug, side.version.bot.name) for side in row.sides]
    is_hiding = IS_HIDING.get()
    sides = [
        name if is_hiding else f"{name} {halves(side.wins)}"
        for name, side in zip(names, row.sides, strict=True)
    ]
    return Item(
        key=f"block-{row.pk}",
        title=" · ".join(sides),
        html=render_to_string("web/feeds/_block.html", {"row": row, "hides_results": is_hiding}),
        link=reverse("web:block", args=[row.pk]),
        at=at,
    )


def _promotion(one: Promotion) -> Item:
    version = one.after
    assert version is not None
    name = bot_name(one.bot.slug, one.bot.name)
    return Item(
        key=f"promotion-{one.pk}",
        title=_("%(bot)s v%(number)s is live") % {"bot": name, "number": version.number},
        html=render_to_string("web/feeds/_version.html", {"version": version, "bot": one.bot}),
        link=reverse("web:version", args=[one.bot.slug, version.number]),
        at=one.at,
    )


def _day(ladder: Ladder, day: date, places: Sequence[Place]) -> Item:
    title = _("%(ladder)s at the end of %(day)s") % {
        "ladder": ladder.name,
        "day": date_format(day, "DATE_FORMAT"),
    }
    rows = [
        (f"{bot_name(slug, name)} v{number}", elo, low, high)
        for slug, name, number, elo, low, high in places
    ]
    return Item(
        key=f"table-{ladder.pk}-{day.isoformat()}",
        title=capfirst(title),
        html=render_to_string("web/feeds/_day.html", {"places": rows}),
        link=reverse("web:ladder", args=[ladder.slug]) + f"?on={day.isoformat()}",
        at=datetime.combine(day + timedelta(days=1), time(), UTC),
    )


def _first_places(ladder: Ladder, day: date) -> list[Place]:
    """Return the top of that day's table, which is final and therefore cached.

    It is cached as data, not as text, because feeds have many languages.
    """
    key = f"feed-day-2-{ladder.pk}-{day.isoformat()}"
    places: list[Place] | None = cache.get(key)
    if places is None:
        places = [
            (row.bot_slug, row.bot_name, row.number, row.elo, row.low, row.high)
            for row in table(ladder, on=day, limit=PLACES)
        ]
        cache.set(key, places, _DAY_S)
    return places


def of_stories(now: datetime, limit: int) -> list[Item]:
    """Return the stories of the latest days, the newest first."""
    rows = stories_between((now - timedelta(days=3)).date(), now.date(), limit)
    return [_story(row) for row in sorted(rows, key=lambda row: (row.at, row.pk), reverse=True)]


def _story(row: Story) -> Item:
    told = text_or_empty(row.told)
    if IS_HIDING.get():
        told = _("Match %(number)s on %(ladder)s") % {
            "number": short_form(row.match_id),
            "ladder": row.ladder.name,
        }
    return Item(
        key=f"story-{row.kind}-{row.match_id}-{row.version_id}",
        title=told,
        html=format_html("<p>{}</p>", told),
        link=reverse("web:match", args=[row.match_id]) + "?at=0",
        at=row.at,
    )


def of_news(user: User, limit: int) -> list[Item]:
    """Return the news of what a user follows, the newest first."""
    is_hiding = IS_HIDING.get() or user.hides_results
    rows = Notice.objects.filter(user=user, kind=Kind.FOLLOWED).order_by("-pk")[:limit]
    return [_news(row, is_hiding=is_hiding) for row in rows]


def _news(row: Notice, *, is_hiding: bool) -> Item:
    subject, text = without_results(row) if is_hiding else (row.subject, row.text)
    return Item(
        key=f"news-{row.pk}",
        title=subject,
        html=format_html("<p>{}</p>", text),
        link=f"/{get_language()}{row.link}",
        at=row.created,
    )
