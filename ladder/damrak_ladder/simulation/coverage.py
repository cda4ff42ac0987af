"""The coverage of 95 % intervals if the configured Elo of anchors is wrong.

One anchor defines the scale and is exact. The configured Elo of each other anchor is its true Elo
plus a normal error. The same games are fitted twice: with all anchors fixed, as if they were exact,
and with the error stated as a standard deviation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from damrak_ladder.ratings import History, Ratings, Scale, rate
from damrak_ladder.ratings.scale import Booleans
from damrak_ladder.simulation.pairing import PAIRINGS, Standing
from damrak_ladder.simulation.season import joined
from damrak_ladder.simulation.seasons import Setting, anchored
from damrak_ladder.simulation.side_by_side import Progress, side_by_side
from damrak_ladder.simulation.world import World

ERRORS: Final = (0.0, 30.0, 60.0)
USUAL: Final = 30.0
"""The stated standard deviation, in Elo, for anchors that are in fact exact."""

_EFFORT: Final = 1_000_000  # blocks of all seasons in total
_FEWEST, _MOST = 20, 200  # limits of the number of seasons
_A_TIME: Final = 5  # seasons with the same bots and tables, and different luck


@dataclass(frozen=True, slots=True)
class Season:
    """The results of a season for one anchor error."""

    fixed: float  # share of bots inside their interval, with all anchors fixed
    stated: float  # with the error stated
    anchors: float  # share of anchors inside their interval, with a stated error
    widths: tuple[float, float]  # median widths of the intervals of bots: fixed, stated


def coverage(
    setting: Setting, errors: Sequence[float], seasons: int | None, progress: Progress
) -> list[dict[str, float]]:
    """Return the share of intervals that contain the truth, for each of these anchor errors."""
    wanted = seasons or min(max(_FEWEST, _EFFORT // setting.blocks), _MOST)
    pieces = [
        (setting, tuple(errors), start, min(start + _A_TIME, wanted))
        for start in range(0, wanted, _A_TIME)
    ]
    found: list[dict[float, Season]] = []
    with side_by_side(len(pieces), setting.blocks * _A_TIME) as run:
        progress(0, len(pieces))
        for number, some in enumerate(run(_play, pieces)):
            found += some
            progress(number + 1, len(pieces))
    return [_row(error, [season[error] for season in found]) for error in errors]


def rows_of(found: Sequence[Mapping[str, float]]) -> list[tuple[str, ...]]:
    """Return the results as rows of a table."""
    rows: list[tuple[str, ...]] = [
        ("anchor error", "stated", "inside, all fixed", "inside, stated", "anchors inside", "width")
    ]
    for one in found:
        shares = [
            f"{100 * one[name]:.1f} ± {100 * one[f'{name}_error']:.1f} %"
            for name in ("fixed", "stated")
        ]
        anchors = f"{100 * one['anchors']:.1f} %"
        widths = f"{one['width_fixed']:.0f} → {one['width_stated']:.0f}"
        rows.append(
            (f"SD {one['anchor_error']:g}", f"SD {one['stated_sd']:g}", *shares, anchors, widths)
        )
    return rows


def arranged(
    setting: Setting, world: World, scale: Scale, tell: Callable[[int], None] = lambda played: None
) -> History:
    """Return the blocks that our matchmaking would arrange if it knew all strengths."""
    is_anchor = np.zeros(len(world), dtype=bool)
    is_anchor[list(scale.anchors)] = True
    standing = Standing(world.elo, np.where(is_anchor, 0.0, 40.0), is_anchor)
    pairing = PAIRINGS["damrak"](setting.bots, setting.seed)
    rng = np.random.default_rng(setting.seed)
    rounds: list[History] = []
    played, a_time = 0, max(1, setting.bots // 3)
    while played < setting.blocks:
        tables = pairing.tables(standing, min(a_time, setting.blocks - played))
        rounds.append(world.play(tables, rng))
        played += len(rounds[-1])
        tell(played)
    return joined(rounds)


def _row(error: float, seasons: Sequence[Season]) -> dict[str, float]:
    row: dict[str, Any] = {"anchor_error": error, "stated_sd": error or USUAL}
    for name in ("fixed", "stated"):
        # The intervals of one season depend on each other, so the unit is the season.
        shares = np.array([getattr(season, name) for season in seasons])
        row[name] = round(float(np.mean(shares)), 4)
        row[f"{name}_error"] = round(float(np.std(shares)) / len(shares) ** 0.5, 4)
    row["anchors"] = round(float(np.mean([season.anchors for season in seasons])), 4)
    fixed, stated = np.mean([season.widths for season in seasons], axis=0)
    return row | {
        "width_fixed": round(float(fixed), 1),
        "width_stated": round(float(stated), 1),
        "seasons": len(seasons),
    }


def _play(piece: tuple[Setting, Sequence[float], int, int]) -> list[dict[float, Season]]:
    setting, errors, start, stop = piece
    world = setting.world(start)
    exact = anchored(world)
    first = arranged(setting, world, exact)
    tables = {seats: table.players for seats, table in first.tables.items()}
    found = []
    for number in range(start, stop):
        rng = np.random.default_rng([setting.luck(number), 8])
        history, off = world.play(tables, rng), rng.standard_normal(len(exact.anchors))
        found.append(
            {error: _season(world, history, exact, off * error, error) for error in errors}
        )
    return found


def _season(
    world: World, history: History, exact: Scale, off: np.ndarray[Any, Any], error: float
) -> Season:
    middle = sorted(exact.anchors, key=lambda at: exact.anchors[at])[len(exact.anchors) // 2]
    anchors = {
        at: elo + (0.0 if at == middle else float(wrong))
        for (at, elo), wrong in zip(exact.anchors.items(), off, strict=True)
    }
    stated = {at: error or USUAL for at in anchors if at != middle}
    bots = np.ones(len(world), dtype=bool)
    bots[list(anchors)] = False
    fixed = rate(history, len(world), Scale(anchors))
    soft = rate(history, len(world), Scale(anchors, errors=stated), fixed)
    inside = _inside(soft, world)
    return Season(
        fixed=float(np.mean(_inside(fixed, world)[bots])),
        stated=float(np.mean(inside[bots])),
        anchors=float(np.mean(inside[list(stated)])) if stated else 1.0,
        widths=(_width(fixed, bots), _width(soft, bots)),
    )


def _inside(ratings: Ratings, world: World) -> Booleans:
    return np.asarray((ratings.low <= world.elo) & (world.elo <= ratings.high))


def _width(ratings: Ratings, among: Booleans) -> float:
    return float(np.median((ratings.high - ratings.low)[among]))
