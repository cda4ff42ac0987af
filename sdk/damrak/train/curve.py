"""The progress of a training, as a table and as a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from matplotlib.figure import Figure

from damrak.atomic import write_atomically
from damrak.train.measurement import RIVAL


@dataclass(frozen=True, slots=True)
class Point:
    """The state of a training when its policy was measured."""

    seconds: float
    decisions: int
    games: int
    share_won: float
    entropy: float
    explained: float


def write_table(path: Path, points: Sequence[Point]) -> None:
    """Write the points as CSV, atomically."""
    file = io.StringIO()
    table = csv.DictWriter(file, list(Point.__dataclass_fields__), lineterminator="\n")
    table.writeheader()
    table.writerows(asdict(point) for point in points)
    write_atomically(path, file.getvalue().encode())


def draw(path: Path, points: Sequence[Point]) -> None:
    """Draw the share of games won over time as SVG, atomically."""
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.plot([point.seconds for point in points], [point.share_won for point in points])
    axes.axhline(0.5, color="grey", linewidth=0.8, linestyle="--")
    axes.set(
        xlabel="seconds of training",
        ylabel=f"share won against {RIVAL}",
        ylim=(0, 1),
        xlim=(0, None),
    )
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    write_atomically(path, file.getvalue())
