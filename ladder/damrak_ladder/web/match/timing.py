"""The use of time of a seat as a bar chart, decision by decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from damrak_ladder.profiles.timing import Decision

HEIGHT: Final = 100.0
"""The height of the bar of the longest decision."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A decision as drawn: the distance from the top and the height of each part."""

    x: int
    thinking: tuple[str, str]
    transport: tuple[str, str]
    queue: tuple[str, str]


def bars_of(decisions: Sequence[Decision]) -> list[Bar]:
    """Return adjacent bars, one unit wide each; the longest is `HEIGHT` high."""
    scale = HEIGHT / max([1, *(one.total for one in decisions)])
    return [_bar(one, scale) for one in decisions]


def _bar(one: Decision, scale: float) -> Bar:
    parts, top = [], HEIGHT
    for length in (one.thinking, one.transport, one.queue):
        top -= length * scale
        parts.append((f"{top:.2f}", f"{length * scale:.2f}"))
    return Bar(one.number - 1, *parts)
