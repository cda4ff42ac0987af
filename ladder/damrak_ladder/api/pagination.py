"""Paging of long lists: `limit` and `offset`, and a Link header with the next page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeVar

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Field, Schema

MOST: Final = 1000
_FURTHEST: Final = 10_000_000

T = TypeVar("T")


class Page(Schema):
    """A page of a list."""

    limit: Annotated[int, Field(ge=1, le=MOST)] = 200
    offset: Annotated[int, Field(ge=0, le=_FURTHEST)] = 0


class LongPage(Page):
    """A page that by default contains the whole list, unless it is very long."""

    limit: Annotated[int, Field(ge=1, le=MOST)] = MOST


def piece_of(rows: QuerySet[Any, T], page: Page, request: HttpRequest, to: HttpResponse) -> list[T]:
    """Return this page of the rows; the headers of the answer link to the next one."""
    found = list(rows[page.offset : page.offset + page.limit + 1])
    return cut(found, page, request, to)


def cut(found: Sequence[T], page: Page, request: HttpRequest, to: HttpResponse) -> list[T]:
    """Return the page without the extra row, whose presence the headers announce."""
    if len(found) > page.limit:
        link_to_next(request, to, limit=page.limit, offset=page.offset + page.limit)
    return list(found[: page.limit])


def link_to_next(request: HttpRequest, to: HttpResponse, **parameters: object) -> None:
    """Add a header with the address of the next page: this one with these parameters changed."""
    query = request.GET.copy()
    for name, value in parameters.items():
        query[name] = str(value)
    to["Link"] = f'<{request.path}?{query.urlencode()}>; rel="next"'
