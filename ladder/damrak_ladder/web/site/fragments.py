"""HTML fragments that appear on pages by the hundred, built as strings for speed.

An included template takes ten times as long. All text from users is escaped here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import get_language, gettext

from damrak_ladder.standings.read.rating_history import Point
from damrak_ladder.time_ordered_ids import short_form
from damrak_ladder.web.site.links import address

NOTHING: Final = "\N{EN DASH}"

MINUS: Final = "\N{MINUS SIGN}"

_UNBROKEN: Final = 12
"""The maximum number of letters of a name without a line-break opportunity."""

_LONG: Final = re.compile(rf"([a-z0-9]{{{_UNBROKEN}}})(?=[a-z0-9])")
_LEFT, _RIGHT = 6.0, 234.0  # ends of the bar, in the units of its drawing
_MINUTE: Final = 60.0
_UNITS: Final = (7 * 86_400.0, 86_400.0, 3600.0, _MINUTE)
_MONTH: Final = 28 * 86_400.0


def link(slug: str, name: str, number: int | None) -> SafeString:
    """Return the name of a bot, or of a version if `number` is given, as a link."""
    if number is None:
        return SafeString(f'<a class="bot" href="{address("web:bot", slug)}">{breakable(name)}</a>')
    return SafeString(
        f'<a class="bot" href="{address("web:version", slug, number)}">{breakable(name)}'
        f' <span class="bot__number">v{number}</span></a>'
    )


def breakable(name: str) -> SafeString:
    """Return a name with line-break opportunities if it would be too long for a phone."""
    shown = escape(name)
    return shown if len(name) <= _UNBROKEN else SafeString(_LONG.sub(r"\1<wbr>", shown))


def bar(low: float, value: float, high: float, floor: float, ceiling: float) -> SafeString:
    """Return a rating and its interval on a scale from `floor` to `ceiling`, as a drawing."""
    width = (ceiling - floor) or 1.0

    def place(at: float) -> str:
        share = min(max((at - floor) / width, 0.0), 1.0)
        return f"{_LEFT + share * (_RIGHT - _LEFT):.1f}"

    begin, end = place(low), place(high)
    return SafeString(
        '<svg class="interval" viewBox="0 0 240 18" preserveAspectRatio="none" aria-hidden="true">'
        '<line class="rail" x1="0" x2="240" y1="9" y2="9"/>'
        f'<line class="span" x1="{begin}" x2="{end}" y1="9" y2="9"/>'
        f'<line class="end" x1="{begin}" x2="{begin}" y1="4" y2="14"/>'
        f'<line class="end" x1="{end}" x2="{end}" y1="4" y2="14"/>'
        f'<line class="point" x1="{place(value)}" x2="{place(value)}" y1="9" y2="9"/></svg>'
    )


def minus(number: int) -> str:
    """Return a whole number, with a true minus sign if it is negative."""
    return f"{MINUS}{-number}" if number < 0 else str(number)


def moment(at: datetime | None) -> SafeString:
    """Return how long ago this was, with the exact time as a tooltip."""
    if at is None:
        return SafeString(NOTHING)
    local = at.astimezone(timezone.get_current_timezone())
    return SafeString(
        f'<time datetime="{local.isoformat(timespec="seconds")}"'
        f' title="{date_format(local, "DATETIME_FORMAT")}">{escape(_ago(at))}</time>'
    )


def percent(number: str) -> str:
    """Return a number as a percentage, with the sign as the reader's language writes it."""
    said: str = gettext("%(number)s %%") % {"number": number}
    return said.replace(" ", "\N{NO-BREAK SPACE}")


def rows_of_points(name: str, where: str, points: Sequence[Point]) -> SafeString:
    """Return the points of a curve as table rows; the first row links to the curve's subject."""
    head, again = (
        f'<a href="{escape(where)}">{escape(name)}</a>',
        (f'<span class="hidden">{escape(name)}</span>'),
    )
    language = get_language()
    return SafeString(
        "".join(
            f'<tr><th scope="row">{again if number else head}</th>'
            f"<td>{_short(point.at, language)}</td>"
            f'<td class="number">{minus(point.elo)}</td>'
            f'<td class="number">{minus(point.low)} {NOTHING} {minus(point.high)}</td>'
            f'<td class="number">{point.games}</td></tr>'
            for number, point in enumerate(points)
        )
    )


@lru_cache(maxsize=4096)  # the same fits have lines for many versions
def _short(at: datetime, _language: str | None) -> str:
    local = at.astimezone(timezone.get_current_timezone())
    return str(escape(date_format(local, "SHORT_DATETIME_FORMAT")))


def tag(name: object, tone: str) -> SafeString:
    """Return a word in a box, in the colour of `tone`."""
    toned = f" tag--{tone}" if tone else ""
    return SafeString(f'<span class="tag{toned}">{escape(name)}</span>')


def games(block: int, matches: Sequence[tuple[int, int]]) -> SafeString:
    """Return links to the matches of a block, given the key of each and its number from 0."""
    says = gettext("Game %(number)s of block %(block)s")
    return SafeString(
        "".join(
            f'<a class="game" href="{address("web:match", pk)}?at=0"'
            f' aria-label="{escape(says % {"number": number + 1, "block": short_form(block)})}">'
            f"{number + 1}</a>"
            for pk, number in matches
        )
    )


def _ago(at: datetime) -> str:
    now = datetime.now(UTC)
    passed = (now - at).total_seconds()
    if passed < _MINUTE:
        return gettext("just now")
    # Only months differ in length; shorter spans of equal length have the same text.
    unit = next((unit for unit in _UNITS if passed >= unit), _MINUTE)
    if passed < _MONTH:
        return _told(passed // unit * unit, get_language())
    return gettext("%(span)s ago") % {"span": timesince(at, now, depth=1)}


@lru_cache(maxsize=1024)
def _told(seconds: float, _language: str | None) -> str:
    begin = datetime(2000, 1, 1, tzinfo=UTC)
    span = timesince(begin, begin + timedelta(seconds=seconds), depth=1)
    return gettext("%(span)s ago") % {"span": span}
