"""Plan of a board: its layout, made readable by removing routes that are in the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from damrak_engine.drawing.clarity import flaws
from damrak_engine.drawing.geometry import Point, distance
from damrak_engine.drawing.labels import Label, place_labels
from damrak_engine.drawing.sheet import Sheet, Span, lay_out, length_at
from damrak_engine.generator.draws import Draws
from damrak_engine.generator.layout import spread
from damrak_engine.generator.network import Pair, drop, neighbours, thin

PAIRS_PERCENT: Final = 188  # of the number of locations, as on amsterdam
FIRST_PERCENT: Final = 215  # before any pair has been removed
LEAST_PERCENT: Final = 170
MOST_DOUBLES: Final = 40  # per hundred pairs, as on amsterdam
LEAST_DOUBLES: Final = 25  # on the largest boards, where players obstruct each other less
FEWEST_DOUBLES: Final = 20  # the minimum after removing those in the way
LONGEST: Final = 4
ROUNDS: Final = 15


@dataclass(slots=True)
class Plan:
    """The locations and the routes between them."""

    names: Sequence[str]
    spots: Sequence[Point]
    pairs: list[Pair]
    doubles: set[Pair]
    lengths: dict[Pair, int]

    def sheet(self) -> Sheet:
        """Return the sheet that the board will be drawn on."""
        return lay_out(self.spots, self.spans())

    def spans(self) -> list[Span]:
        """Return the routes, twins one after the other."""
        return [
            Span(a, b, self.lengths[a, b])
            for a, b in self.pairs
            for _ in range(1 + ((a, b) in self.doubles))
        ]


def make_plan(draws: Draws, names: Sequence[str]) -> tuple[Plan, tuple[Label, ...]] | None:
    """Return a readable plan and its labels, or None if these draws do not give one."""
    count = len(names)
    spots = spread(draws, count)
    pairs = neighbours(draws, spots, count * FIRST_PERCENT // 100)
    if pairs is None:
        return None
    spots, lengths = _fit_lengths(spots, pairs)
    share = MOST_DOUBLES - max(0, count - 20) * (MOST_DOUBLES - LEAST_DOUBLES) // 20
    doubles = set(draws.shuffled(pairs)[: len(pairs) * (share + 35) // 100])
    plan = Plan(names, spots, pairs, doubles, lengths)
    if _clear(plan) is None:
        return None
    thin(draws, spots, plan.pairs, count * PAIRS_PERCENT // 100)
    wanted = (len(plan.pairs) * share + 50) // 100
    plan.doubles = set(draws.shuffled([p for p in plan.pairs if p in plan.doubles])[:wanted])
    labels = _clear(plan)
    pairs_enough = len(plan.pairs) * 100 >= count * LEAST_PERCENT
    doubles_enough = len(plan.doubles & set(plan.pairs)) * 100 >= len(plan.pairs) * FEWEST_DOUBLES
    return (plan, labels) if labels and pairs_enough and doubles_enough else None


def _fit_lengths(
    spots: Sequence[Point], pairs: Sequence[Pair]
) -> tuple[list[Point], dict[Pair, int]]:
    """Return places and lengths at the scale that gives routes the preferred mean length."""
    wanted = len(pairs) * (210 + 10 * max(0, 16 - len(spots)))
    for percent in range(50, 300):
        scaled = [Point(spot.x * percent // 100, spot.y * percent // 100) for spot in spots]
        lengths = {
            (a, b): min(LONGEST, length_at(distance(scaled[a], scaled[b]))) for a, b in pairs
        }
        if 100 * sum(lengths.values()) >= wanted:
            break
    return scaled, lengths


def _clear(plan: Plan) -> tuple[Label, ...] | None:
    """Make doubles in the way single, drop singles in the way; return the labels if clear."""
    for _ in range(ROUNDS):
        sheet = plan.sheet()
        labels = place_labels(sheet, plan.names)
        found = list(flaws(sheet, labels, plan.names))
        if not found:
            return labels
        for index in sorted({flaw.bed for flaw in found if flaw.bed is not None}):
            pair = sheet.beds[index].a, sheet.beds[index].b
            if pair in plan.doubles:
                plan.doubles.discard(pair)
            else:
                drop(pair, plan.pairs, len(plan.names))
    return None
