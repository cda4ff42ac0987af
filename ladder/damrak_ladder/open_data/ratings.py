"""Rows of published ratings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

from damrak_ladder.open_data.days import CHUNK, span
from damrak_ladder.standings.models import Line, Standing

_COLUMNS: Final = {
    "ladder": "ladder__slug",
    "version_id": "version_id",
    "bot": "version__bot__slug",
    "version": "version__number",
    "seats": "seats",
    "elo": "elo",
    "low": "low",
    "high": "high",
    "rank": "rank",
    "rank_low": "rank_low",
    "rank_high": "rank_high",
    "band": "band",
    "first": "first",
    "blocks": "blocks",
    "games": "games",
}


def ratings_of(day: date) -> Iterator[dict[str, Any]]:
    """Yield the changes of ratings that were published on a day."""
    start, end = span(day)
    lines = Line.objects.filter(at__gte=start, at__lt=end).order_by("at", "pk")
    for at, fit, *values in lines.values_list("at", "fit", *_COLUMNS.values()).iterator(CHUNK):
        yield {"at": at, "fit": fit} | dict(zip(_COLUMNS, values, strict=True))


def standings() -> Iterator[dict[str, Any]]:
    """Yield the ratings that are published now."""
    rows = Standing.objects.order_by("ladder", "seats", "version")
    for values in rows.values_list(*_COLUMNS.values()).iterator(CHUNK):
        yield dict(zip(_COLUMNS, values, strict=True))
