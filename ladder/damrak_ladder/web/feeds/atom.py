"""Atom feeds, with a language prefix as pages have. Their cost does not grow with history."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import get_language, gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot, Promotion
from damrak_ladder.follows.feed_tokens import reader_of
from damrak_ladder.matches.models import Ladder
from damrak_ladder.matches.standard_summaries import summary_of
from damrak_ladder.plain_text import plain_text
from damrak_ladder.tournaments.access import visible_tournaments
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.web.block import lists
from damrak_ladder.web.feeds.entries import (
    IS_HIDING,
    Item,
    latest,
    of_blocks,
    of_days,
    of_news,
    of_promotions,
    of_stories,
)
from damrak_ladder.web.feeds.rounds import of_rounds
from damrak_ladder.web.site.hidden_results import HIDDEN
from damrak_ladder.web.site.pagination import FIRST
from damrak_ladder.web.site.state_texts import owner_name
from damrak_ladder.web.site.tags import bot_name

SIZE: Final = 30
VERSIONS: Final = 50
_UNFIT: Final = re.compile("[\ufffe\uffff]")  # invalid in XML; plain_text removes controls

if TYPE_CHECKING:
    _Feed = Feed[Item, Any]
else:
    _Feed = Feed  # cannot be subscripted at run time


class _News(_Feed):
    """The base class of all feeds."""

    feed_type = Atom1Feed
    author_name = "Damrak"
    title_template = description_template = None

    def feed_guid(self, obj: Any) -> str:
        return settings.DAMRAK_URL + self._place(obj)

    def link(self, obj: Any) -> str:
        raise NotImplementedError

    def item_title(self, item: Item) -> str:
        return _fit(item.title)

    def item_description(self, item: Item) -> str:
        return _fit(item.html).strip()

    def item_link(self, item: Item) -> str:
        return item.link

    def item_guid(self, item: Item) -> str:
        return f"{settings.DAMRAK_URL}/#{item.key}"

    def item_pubdate(self, item: Item) -> datetime:
        return item.at

    item_updateddate = item_pubdate

    def _place(self, obj: Any) -> str:
        """Return its address without the language."""
        return self.link(obj).removeprefix(f"/{get_language()}")


class AllBlocks(_News):
    """The latest games of all ladders."""

    def title(self, obj: Any) -> str:
        return _("Recent games") + " · Damrak"

    def link(self, obj: Any) -> str:
        return reverse("web:home")

    def items(self, obj: Any) -> list[Item]:
        return of_blocks(lists.latest(SIZE))


class Highlights(_News):
    """The stories of the latest days."""

    def title(self, obj: Any) -> str:
        return _("Highlights") + " · Damrak"

    def link(self, obj: Any) -> str:
        return reverse("web:highlights")

    def items(self, obj: Any) -> list[Item]:
        return of_stories(timezone.now(), SIZE)


class LadderNews(_News):
    """Versions that went live on a ladder, and its table day by day."""

    def get_object(self, request: HttpRequest, slug: str) -> Ladder:
        return get_object_or_404(Ladder, slug=slug)

    def title(self, obj: Ladder) -> str:
        return f"{_fit(obj.name)} · Damrak"

    def subtitle(self, obj: Ladder) -> str:
        return _fit(summary_of(obj))

    def link(self, obj: Ladder) -> str:
        return reverse("web:ladder", args=[obj.slug])

    def items(self, obj: Ladder) -> list[Item]:
        there = Promotion.objects.filter(bot__entries__ladder=obj, bot__entries__left=None)
        return latest(SIZE, of_promotions(there, SIZE), of_days(obj, timezone.now()))


class LadderBlocks(LadderNews):
    """The latest games of a ladder."""

    def title(self, obj: Ladder) -> str:
        return _("Blocks of %(name)s") % {"name": _fit(obj.name)} + " · Damrak"

    def link(self, obj: Ladder) -> str:
        return reverse("web:ladder_blocks", args=[obj.slug])

    def items(self, obj: Ladder) -> list[Item]:
        return of_blocks(lists.of_ladder(obj, FIRST, SIZE).rows)


class BotNews(_News):
    """The latest games of a bot, and its versions that went live."""

    def get_object(self, request: HttpRequest, slug: str) -> Bot:
        return get_object_or_404(Bot.objects.select_related("owner"), slug=slug)

    def title(self, obj: Bot) -> str:
        return f"{bot_name(obj.slug, obj.name)} · Damrak"

    def subtitle(self, obj: Bot) -> str:
        return _("by %(owner)s") % {"owner": owner_name(obj.owner.username)}

    def link(self, obj: Bot) -> str:
        return reverse("web:bot", args=[obj.slug])

    def items(self, obj: Bot) -> list[Item]:
        newest = obj.versions.order_by("-number").values_list("pk", flat=True)[:VERSIONS]
        played = lists.of_versions(list(newest), FIRST, SIZE).rows
        return latest(SIZE, of_promotions(obj.promotions.all(), SIZE // 3), of_blocks(played))


class TournamentNews(_News):
    """The paired rounds of a tournament, with the results that everyone may know."""

    def get_object(self, request: HttpRequest, slug: str) -> Tournament:
        rows = visible_tournaments(None).select_related("owner", "league")
        return get_object_or_404(rows, slug=slug)

    def title(self, obj: Tournament) -> str:
        return f"{_fit(obj.name)} · Damrak"

    def subtitle(self, obj: Tournament) -> str:
        return _fit(obj.summary)

    def link(self, obj: Tournament) -> str:
        return reverse("web:tournament", args=[obj.slug])

    def items(self, obj: Tournament) -> list[Item]:
        return of_rounds(obj, SIZE)


class Following(_News):
    """The news of what a user follows, at a private address."""

    def get_object(self, request: HttpRequest, token: str) -> User:
        user = reader_of(token)
        if user is None:
            raise Http404
        return user

    def title(self, obj: User) -> str:
        return _("What %(user)s follows") % {"user": obj.username} + " · Damrak"

    def link(self, obj: User) -> str:
        return reverse("web:following")

    def items(self, obj: User) -> list[Item]:
        return of_news(obj, SIZE)


def _fit(text: str) -> str:
    """Return the text without characters that XML cannot hold."""
    return _UNFIT.sub("", plain_text(text))


def _served(feed: _Feed) -> Callable[..., HttpResponse]:
    """Return the view of a feed, with conditional requests and some minutes of caching."""

    @require_safe
    @cache_control(public=True, max_age=300)
    @conditional_page
    def view(request: HttpRequest, **names: str) -> HttpResponse:
        return _written(feed, request, names)

    return view


def _written(feed: _Feed, request: HttpRequest, names: dict[str, str]) -> HttpResponse:
    """Return the feed, without results for addresses with `?results=hidden`."""
    before = IS_HIDING.set(request.GET.get("results") == HIDDEN)
    try:
        return feed(request, **names)
    finally:
        IS_HIDING.reset(before)


@require_safe
@cache_control(private=True, max_age=300)
@conditional_page
def following(request: HttpRequest, token: str) -> HttpResponse:
    """Return the private feed of a user, in their language, to all that have its address."""
    response = _written(Following(), request, {"token": token})
    response["X-Robots-Tag"] = "noindex"
    return response


all_blocks = _served(AllBlocks())
highlights = _served(Highlights())
ladder_news = _served(LadderNews())
ladder_blocks = _served(LadderBlocks())
bot_news = _served(BotNews())
tournament_news = _served(TournamentNews())
