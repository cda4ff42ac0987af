"""Long lists page by page: each page begins after the last row of the one before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from django.http import Http404, HttpRequest

Row = TypeVar("Row")
FIRST: Final = 2**63 - 1
"""Where the first page of a list begins that is read from its end."""


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, and where the next page begins; empty at the end."""

    rows: Sequence[Row]
    next: str = ""


def page_of(rows: Sequence[Row], size: int, place: Callable[[Row], int]) -> Page[Row]:
    """The page of these rows, of which one more than `size` was asked for."""
    shown = rows[:size]
    return Page(shown, str(place(shown[-1])) if len(rows) > size else "")


def before(request: HttpRequest) -> int:
    """Where the page that is asked for begins; the largest number there is for the first.

    Raises:
        Http404: it is no place.
    """
    text = request.GET.get("before", "")
    if not text:
        return FIRST
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise Http404
    return int(text)
