"""The pages of a ladder: its table, blocks, head-to-head matrix and knockout forecast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone

from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.models import Fit
from damrak_ladder.standings.read.contenders import duel_seats
from damrak_ladder.standings.read.rating_history import history
from damrak_ladder.standings.read.table import ORDERS, BadCursor, Row, rows_of, table, table_by
from damrak_ladder.web.block import lists
from damrak_ladder.web.bot.opponents import matrix_of
from damrak_ladder.web.ladder import knockout
from damrak_ladder.web.ladder.anchors import anchors_shown, waits_for_a_bot
from damrak_ladder.web.site.charts import Chart, Series, chart
from damrak_ladder.web.site.pagination import before
from damrak_ladder.web.site.tags import bot_name

SIZE: Final = 50
SORTED: Final = 500
"""The number of rows, from the top, that are sorted if there is no index for an order."""

TOPS: Final = (3, 5, 10)
TOP: Final = 5
CHOSEN: Final = 10
"""The largest number of lines in a chart."""

LONGEST: Final = 60
SORTS: Final[dict[str, Callable[[Row], float]]] = {
    "first": lambda row: -(row.first or 0),
    "games": lambda row: -row.games,
    "faults": lambda row: -(row.faults or 0),
    "trend": lambda row: -(row.week or 0),
    "width": lambda row: row.high - row.low,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """The query of a table page."""

    seats: int | None = None
    on: date | None = None
    kind: str = ""
    language: str = ""
    owner: str = ""
    sort: str = ""
    top: int = TOP
    bots: tuple[str, ...] = ()  # bots in the chart
    after: str = ""

    @property
    def is_narrowed(self) -> bool:
        """Whether the query differs from the default: the current table by rank."""
        return bool(self.on or self.kind or self.language or self.owner or self.sort)

    def link(self, **changes: object) -> str:
        """Return the query string of this query with these changes."""
        said = {
            "seats": self.seats,
            "on": self.on,
            "kind": self.kind,
            "language": self.language,
            "owner": self.owner,
            "sort": self.sort,
            "top": "" if self.top == TOP else self.top,
            "bots": self.bots,
        } | changes
        return "?" + urlencode({name: value for name, value in said.items() if value}, doseq=True)


@dataclass(frozen=True, slots=True)
class Scale:
    """The limits of the bars of a table."""

    floor: int
    ceiling: int


def ladder(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the table of a ladder, its rating history and its newest blocks."""
    found = get_object_or_404(Ladder, slug=slug)
    asked = _asked(request)
    rows, cursor = _rows(found, asked)
    latest = Fit.objects.filter(ladder=found).order_by("-number").first()
    context = {
        "ladder": found,
        "asked": asked,
        "rows": rows,
        "scale": scale_of(rows),
        "next": asked.link(after=cursor) if cursor else "",
        "sorted": SORTED if asked.sort and (asked.on or asked.sort not in ORDERS) else 0,
        "fit": latest,
        "anchors": anchors_shown(found, latest),
        "waits_for_a_bot": waits_for_a_bot(found),
        "sizes": sorted(int(seats) for seats, share in found.shares.items() if share),
        "kinds": Kind,
        "today": timezone.now().date(),
        "tops": TOPS,
        "most": CHOSEN,
        "languages": sorted({row.language for row in rows if row.language}),
        "chart": None
        if asked.after and not asked.bots
        else rating_chart(found, _charted(found, asked, rows), asked.seats),
        "blocks": []
        if asked.on or asked.after
        else lists.of_ladder(found, before(request), 8).rows,
    }
    if getattr(request, "htmx", False):
        return render(request, "web/ladder/_table.html", context)
    return render(request, "web/ladder/ladder.html", context)


def ladder_blocks(request: HttpRequest, slug: str) -> HttpResponse:
    """List all blocks of a ladder, newest first."""
    found = get_object_or_404(Ladder, slug=slug)
    page = lists.of_ladder(found, before(request))
    return render(request, "web/ladder/ladder_blocks.html", {"ladder": found, "page": page})


def ladder_matrix(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the head-to-head matrix of the first versions of a ladder."""
    found = get_object_or_404(Ladder, slug=slug)
    context = {"ladder": found, "shown": matrix_of(found)}
    return render(request, "web/ladder/matrix.html", context)


def ladder_knockout(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the projected knockout of the first versions of a ladder."""
    found = get_object_or_404(Ladder, slug=slug)
    asked = request.GET.get("size", "")
    if asked and asked not in map(str, knockout.SIZES):
        raise Http404
    shown = knockout.knockout_of(found, int(asked or knockout.SIZE))
    context = {"ladder": found, "seats": duel_seats(found), "shown": shown}
    return render(request, "web/ladder/knockout.html", context)


def scale_of(rows: Sequence[Row]) -> Scale:
    """Return the scale that includes all intervals of these rows."""
    return Scale(
        min((row.low for row in rows), default=0), max((row.high for row in rows), default=1)
    )


def rating_chart(found: Ladder, rows: Sequence[Row], seats: int | None) -> Chart | None:
    """Return the rating history of these rows as a chart."""
    courses = history(found, [row.version_id for row in rows], seats)
    series = [
        Series(
            f"{bot_name(row.bot_slug, row.bot_name)} v{row.number}",
            reverse("web:version", args=[row.bot_slug, row.number]),
            courses[row.version_id],
        )
        for row in rows
    ]
    return chart(series, timezone.now())


def _charted(found: Ladder, asked: Asked, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the selected bots, or the first rows of the table."""
    if asked.bots:
        return rows_of(found, asked.bots, asked.seats)
    return [row for row in rows if row.rank is not None][: asked.top]


def _rows(found: Ladder, asked: Asked) -> tuple[list[Row], str]:
    """Return a page of the table, and the cursor of the next one."""
    kinds = [asked.kind] if asked.kind else None
    wanted: dict[str, Any] = {"kinds": kinds, "language": asked.language, "owner": asked.owner}
    try:
        if asked.sort in ORDERS and not asked.on:
            return table_by(found, asked.sort, asked.seats, **wanted, after=asked.after, limit=SIZE)
        if asked.sort:
            rows = table(found, asked.seats, asked.on, **wanted, limit=SORTED)
            rows.sort(key=SORTS[asked.sort])
            begin = _begin(asked.after)
            more = f"p{begin + SIZE}" if len(rows) > begin + SIZE else ""
            return rows[begin : begin + SIZE], more
        rows = table(found, asked.seats, asked.on, **wanted, after=asked.after, limit=SIZE + 1)
    except BadCursor:
        raise Http404 from None
    return rows[:SIZE], rows[SIZE - 1].cursor if len(rows) > SIZE else ""


def _begin(after: str) -> int:
    """Return the index at which a page of a sorted table begins.

    Raises:
        BadCursor
    """
    if not after:
        return 0
    place = after[1:]
    if not (after[0] == "p" and place.isascii() and place.isdigit() and len(place) < 4):
        raise BadCursor(after)
    return int(place)


def _asked(request: HttpRequest) -> Asked:
    said = request.GET
    try:
        on = date.fromisoformat(said["on"]) if said.get("on") else None
        seats = int(said["seats"]) if said.get("seats") else None
    except ValueError:
        raise Http404 from None
    kind, sort, top = said.get("kind", ""), said.get("sort", ""), said.get("top", "")
    if (
        (top and top not in map(str, TOPS))
        or (seats or 2) not in (2, 3, 4)
        or (kind and kind not in Kind.values)
        or (sort and sort not in SORTS)
    ):
        raise Http404
    if on is not None and not 2000 <= on.year <= 9000:
        raise Http404
    language, owner = (
        said.get(name, "").replace("\0", "").strip()[:LONGEST] for name in ("language", "owner")
    )
    bots = tuple(bot.replace("\0", "")[:LONGEST] for bot in said.getlist("bots")[:CHOSEN] if bot)
    return Asked(
        seats=seats,
        on=on,
        kind=kind,
        language=language,
        owner=owner,
        sort=sort,
        top=int(top or TOP),
        bots=tuple(dict.fromkeys(bots)),
        after=said.get("after", ""),
    )
