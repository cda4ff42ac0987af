"""Pagination of long lists: each page begins after the last row of the previous one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from django.http import Http404, HttpRequest

Row = TypeVar("Row")
FIRST: Final = 2**63 - 1
"""The start of the first page of a list that is in descending order."""


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, and where the next page begins; empty at the end."""

    rows: Sequence[Row]
    next: str = ""


def page_of(rows: Sequence[Row], size: int, place: Callable[[Row], int]) -> Page[Row]:
    """Return the page of these rows, of which one more than `size` was queried."""
    shown = rows[:size]
    return Page(shown, str(place(shown[-1])) if len(rows) > size else "")


def before(request: HttpRequest) -> int:
    """Return where the requested page begins; the largest possible number for the first page.

    Raises:
        Http404: the parameter is not a valid place.
    """
    text = request.GET.get("before", "")
    if not text:
        return FIRST
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Http404
    return int(text)
