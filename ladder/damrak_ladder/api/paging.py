"""Long lists, piece by piece: `limit` and `offset`, and a Link header that names the next piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeVar

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Field, Schema

MOST: Final = 1000
STORABLE: Final = r"^[^\x00]*$"
"""Texts that every database can look for."""

_FURTHEST: Final = 10_000_000

T = TypeVar("T")


class Page(Schema):
    """Which piece of a list is wanted."""

    limit: Annotated[int, Field(ge=1, le=MOST)] = 200
    offset: Annotated[int, Field(ge=0, le=_FURTHEST)] = 0


class LongPage(Page):
    """As much as there is in one piece, if it is not very long."""

    limit: Annotated[int, Field(ge=1, le=MOST)] = MOST


def piece_of(rows: QuerySet[Any, T], page: Page, request: HttpRequest, to: HttpResponse) -> list[T]:
    """That piece of the rows; whether there are more, the answer's headers say."""
    found = list(rows[page.offset : page.offset + page.limit + 1])
    return cut(found, page, request, to)


def cut(found: Sequence[T], page: Page, request: HttpRequest, to: HttpResponse) -> list[T]:
    """The piece without the one row beyond it, whose being there the headers tell."""
    if len(found) > page.limit:
        query = request.GET.copy()
        query["limit"], query["offset"] = str(page.limit), str(page.offset + page.limit)
        to["Link"] = f'<{request.path}?{query.urlencode()}>; rel="next"'
    return list(found[: page.limit])
