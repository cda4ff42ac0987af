"""The pages of highlights and records."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from damrak_ladder.highlights.models import Record, RecordKind
from damrak_ladder.highlights.queries import bot_of_week, span_of, stories_between

PICTURED: Final = 6
"""The number of best stories that are shown with a picture."""


@require_safe
def highlights(request: HttpRequest) -> HttpResponse:
    """Show the stories of a day, or of a week with its bot."""
    is_week = "week" in request.GET
    asked = request.GET.get("week" if is_week else "day", "")
    span = span_of(asked, timezone.now().date(), is_week=is_week)
    stories = stories_between(span.first, span.last)
    context = {
        "span": span,
        "best_stories": stories[:PICTURED],
        "stories": stories[PICTURED:],
        "best": bot_of_week(span.first) if is_week else None,
    }
    return render(request, "web/highlights/highlights.html", context)


@require_safe
def records(request: HttpRequest) -> HttpResponse:
    """Show the records of all ladders."""
    rows = Record.objects.select_related("ladder", "version__bot")
    kinds = list(RecordKind)
    listed = sorted(rows, key=lambda row: (row.ladder.slug, kinds.index(RecordKind(row.kind))))
    return render(request, "web/highlights/records.html", {"rows": listed})
