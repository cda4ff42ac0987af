"""Line charts of ratings over time with their intervals: computed here, drawn by a template.

A published rating holds until the next one, so lines are step functions. Colours come from the
style sheet; lines also differ by their dashes, and the page has the same numbers as a table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from damrak_ladder.standings.read.rating_history import Point

WIDTH: Final = 800.0
HEIGHT: Final = 300.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 182.0, 14.0, 30.0  # RIGHT: maximum width of the names
_LETTER: Final = 8.0  # width of a letter in a name; nearly always an upper bound
_LEADER: Final = 14.0  # gap before a name
_HALF_DATE: Final = 36.0  # the last date below the axis is centred at its end
STYLES: Final = 12
_STEPS: Final = (1, 2, 5)
_TICKS: Final = 5
_LABEL_GAP: Final = 15.0
_LEAST_SPAN: Final = 40
_MARK_GAP: Final = 26.0
_WRITTEN: Final = {"second": "%H%M%S", "minute": "%d%H%M", "day": "%Y%m%d"}


@dataclass(frozen=True, slots=True)
class Series:
    """A line of the chart: its name, its link, and its points, the oldest first."""

    name: str
    link: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis."""

    at: str
    value: float
    moment: datetime | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A series as drawn. `style` is the number of the line, which selects colour and dashes."""

    series: Series
    style: int
    line: str
    band: str
    label_y: str
    end_y: str


@dataclass(frozen=True, slots=True)
class Mark:
    """An event, drawn as a vertical line."""

    name: str
    at: datetime
    x: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Everything that the template draws."""

    curves: Sequence[Curve]
    across: Sequence[Tick]  # Elo values
    along: Sequence[Tick]  # moments
    marks: Sequence[Mark]
    unit: str  # precision of the moments: "day", "minute" or "second"
    is_cut: bool  # whether some intervals extend beyond the drawing
    right: float
    label_x: float
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT
    top: float = TOP
    bottom: float = HEIGHT - BOTTOM


@dataclass(frozen=True, slots=True)
class _Frame:
    begin: datetime
    end: datetime
    low: float
    high: float
    right: float

    def x(self, at: datetime) -> float:
        share = (at - self.begin) / (self.end - self.begin)
        return LEFT + share * (self.right - LEFT)

    def y(self, elo: float) -> float:
        share = (min(max(elo, self.low), self.high) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def chart(series: Sequence[Series], until: datetime, marks: Sequence[Mark] = ()) -> Chart | None:
    """Return the chart of these series up to that moment; None if there is nothing to draw.

    Marks before the start of the chart are left out. Of marks that are too close, the later ones
    are left out.
    """
    drawn = [one for one in series if one.points]
    if not drawn:
        return None
    begin = min(one.points[0].at for one in drawn)
    end = max(until, max(one.points[-1].at for one in drawn), begin + timedelta(minutes=1))
    # The vertical axis covers all lines and the current intervals. Intervals of a bot's first games
    # are many times as wide; they are cut off at the edge, or no other detail would be visible.
    low = min(min(one.points[-1].low, *(at.elo for at in one.points)) for one in drawn)
    high = max(max(one.points[-1].high, *(at.elo for at in one.points)) for one in drawn)
    step = nice_step(max(high - low, _LEAST_SPAN) / _TICKS)
    bottom, top = math.floor(low / step) * step, math.ceil(high / step) * step
    names = max(_HALF_DATE, _LEADER + _LETTER * max(len(one.name) for one in drawn))
    frame = _Frame(begin, end, bottom, max(top, bottom + step), WIDTH - min(RIGHT, names))
    count = round((frame.high - frame.low) / step)
    across = [
        Tick(f"{frame.y(frame.low + step * number):.1f}", frame.low + step * number)
        for number in range(count + 1)
    ]
    unit = _unit(end - begin)
    ends = [frame.y(one.points[-1].elo) for one in drawn]
    labels = _apart(ends)
    curves = [
        Curve(
            series=one,
            style=number % STYLES,
            line=_line(one.points, frame),
            band=_band(one.points, frame),
            label_y=f"{labels[number]:.1f}",
            end_y=f"{ends[number]:.1f}",
        )
        for number, one in enumerate(drawn)
    ]
    points = [point for one in drawn for point in one.points]
    is_cut = any(point.low < frame.low or point.high > frame.high for point in points)
    along, seen = _along(frame, unit), _marks(marks, frame)
    return Chart(curves, across, along, seen, unit, is_cut, frame.right, frame.right + 10)


def _unit(span: timedelta) -> str:
    if span < timedelta(minutes=10):
        return "second"
    return "minute" if span < timedelta(days=2) else "day"


def _along(frame: _Frame, unit: str) -> list[Tick]:
    """Return equidistant moments, without those whose label would repeat the one before."""
    ticks: dict[str, Tick] = {}
    for share in range(5):
        moment = frame.begin + (frame.end - frame.begin) * share / 4
        written = moment.strftime(_WRITTEN[unit])
        ticks.setdefault(written, Tick(f"{frame.x(moment):.1f}", 0.0, moment))
    return list(ticks.values())


def _marks(marks: Sequence[Mark], frame: _Frame) -> list[Mark]:
    found: list[Mark] = []
    last = -math.inf
    for mark in sorted(marks, key=lambda mark: mark.at):
        if not frame.begin <= mark.at <= frame.end:
            continue
        x = frame.x(mark.at)
        if x - last >= _MARK_GAP:
            found.append(replace(mark, x=f"{x:.1f}"))
            last = x
    return found


def nice_step(least: float) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50, … that is at least this."""
    size = int(10 ** max(0, math.floor(math.log10(max(least, 1)))))
    return next((size * step for step in _STEPS if size * step >= least), size * 10)


def _line(points: Sequence[Point], frame: _Frame) -> str:
    return " ".join(_steps([(point.at, point.elo) for point in points], frame))


def _band(points: Sequence[Point], frame: _Frame) -> str:
    above = _steps([(point.at, point.high) for point in points], frame)
    below = _steps([(point.at, point.low) for point in points], frame)
    return " ".join([*above, *reversed(below)])


def _steps(values: Sequence[tuple[datetime, int]], frame: _Frame) -> list[str]:
    corners = []
    for number, (at, value) in enumerate(values):
        until = values[number + 1][0] if number + 1 < len(values) else frame.end
        y = f"{frame.y(value):.1f}"
        corners += [f"{frame.x(at):.1f},{y}", f"{frame.x(until):.1f},{y}"]
    return corners


def _apart(wanted: Sequence[float]) -> list[float]:
    """Return positions for labels near the ends of their lines, without overlaps."""
    placed = [0.0] * len(wanted)
    last = -math.inf
    for number in sorted(range(len(wanted)), key=lambda number: wanted[number]):
        last = placed[number] = max(wanted[number], last + _LABEL_GAP)
    over = max(0.0, last - (HEIGHT - BOTTOM))
    return [place - over for place in placed]
