"""Sitemaps and robots.txt: the pages for search engines, and those that they should skip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import index, sitemap
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from damrak_ladder.bots.models import Bot
from damrak_ladder.matches.models import Ladder
from damrak_ladder.web.guides.library import library

# With each language prefix and without: pages for logged-in users, expensive pages, and the pages
# of matches, of which there are as many as games. Wildcards would be shorter, but not all crawlers
# support them.
_CLOSED: Final = ("account", "accounts", "desk", "device", "matches", "organise", "search")

# Without a language prefix; the last entry covers lists in another order or part.
_CLOSED_FILES: Final = ("/api/", "/language/", "/notices/", "/*?")

if TYPE_CHECKING:
    _Sitemap = Sitemap[Any]
else:
    _Sitemap = Sitemap  # cannot be subscripted at run time


class _English(_Sitemap):
    """Pages by their English addresses; each page links to its other languages itself."""

    i18n = True
    languages = ("en",)
    limit = 2000


class _Pages(_English):
    def items(self) -> Sequence[str]:
        return [
            *("web:home", "web:learn", "web:puzzles", "web:ladders", "web:tournaments"),
            *("web:leagues", "web:hosts", "web:open_data"),
            *("guides:rules", "guides:documents"),
        ]

    def location(self, item: str) -> str:
        return reverse(item)


class _Documents(_English):
    def items(self) -> Sequence[str]:
        return sorted(name for name in library().documents if not name.startswith("rules"))

    def location(self, item: str) -> str:
        return reverse("guides:document", args=[item])


class _Ladders(_English):
    def items(self) -> QuerySet[Ladder, str]:
        return Ladder.objects.order_by("slug").values_list("slug", flat=True)

    def location(self, item: str) -> str:
        return reverse("web:ladder", args=[item])


class _Bots(_English):
    def items(self) -> QuerySet[Bot, str]:
        live = Bot.objects.filter(live__isnull=False)
        return live.order_by("pk").values_list("slug", flat=True)

    def location(self, item: str) -> str:
        return reverse("web:bot", args=[item])


_SECTIONS: Final[dict[str, type[_Sitemap] | _Sitemap]] = {
    "pages": _Pages,
    "documents": _Documents,
    "ladders": _Ladders,
    "bots": _Bots,
}


@require_safe
@cache_control(public=True, max_age=3600)
def maps(request: HttpRequest) -> HttpResponse:
    """Return the index of the sitemaps."""
    return index(request, _SECTIONS, sitemap_url_name="sitemap")


@require_safe
@cache_control(public=True, max_age=3600)
def addresses(request: HttpRequest, section: str) -> HttpResponse:
    """Return one sitemap."""
    return sitemap(request, _SECTIONS, section=section)


@require_safe
@cache_control(public=True, max_age=3600)
def robots(request: HttpRequest) -> HttpResponse:
    """Return robots.txt: the paths that crawlers should skip, and the address of the sitemaps."""
    roots = ["/", *(f"/{code}/" for code, _ in settings.LANGUAGES)]
    closed = [*_CLOSED_FILES, *(f"{root}{name}/" for root in roots for name in _CLOSED)]
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in closed)]
    lines += ["", f"Sitemap: {settings.DAMRAK_URL}{reverse('sitemaps')}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")
