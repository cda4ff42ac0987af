"""The report of a simulation: its calculation, and its output as JSON and as text."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

import numpy as np

from damrak_ladder.matchmaking import MOST_TURNS
from damrak_ladder.ratings import History, Scale
from damrak_ladder.simulation.comparison import Contest, Score, compare
from damrak_ladder.simulation.cost import fit_cost
from damrak_ladder.simulation.coverage import ERRORS, arranged, coverage, rows_of
from damrak_ladder.simulation.forecasts import SEASONS, calibration
from damrak_ladder.simulation.mirror import mirror_variance
from damrak_ladder.simulation.pairing import PAIRINGS
from damrak_ladder.simulation.season import Season
from damrak_ladder.simulation.seasons import Setting, mean_marks, play, shares_of
from damrak_ladder.simulation.side_by_side import side_by_side
from damrak_ladder.simulation.world import World

_COMPARED: Final = 80_000  # limit of blocks in the comparison of ratings: other ratings are slow
_MOST_COMPARED: Final = 200  # seasons
_EVERY: Final = 2  # only every second mark is printed in the text form
_SILENCE: Final = 20.0  # minimum seconds between lines if stderr is not a terminal

Marks = Sequence[tuple[int, float]]
Row = Sequence[str]
Tell = Callable[[str], None]


def simulate(
    setting: Setting,
    parts: Collection[str],
    tell: Tell,
    seasons: int | None = None,
    anchor_errors: Sequence[float] = ERRORS,
) -> dict[str, Any]:
    """Return these parts of the report, in the form that `--json` prints.

    `seasons` is the number of seasons for the coverage, and for the forecasts in each world.
    `anchor_errors` are the standard deviations, in Elo, of the errors of anchors.
    """
    found: dict[str, Any] = {}
    compared = min(setting.seasons, max(1, _COMPARED // setting.blocks), _MOST_COMPARED)
    wanted: dict[str, int] = {}
    if "matchmaking" in parts:
        wanted = shares_of(setting.seasons)
    elif "ratings" in parts:
        wanted = {"damrak": compared}
    played: dict[str, list[Season]] = {}
    if wanted:

        def progress(done: int, of: int) -> None:
            tell(f"playing seasons: {done:,} of {of:,}, of {setting.blocks:,} blocks each")

        progress(0, sum(wanted.values()))
        keep = compared if "ratings" in parts else int("fit" in parts)
        played = play(setting, wanted, keep, progress)
    if "matchmaking" in parts:
        found["matchmaking"] = {name: mean_marks(played[name]) for name in PAIRINGS}
        found["pairing"] = pairing_summary(found["matchmaking"], played["damrak"])
    if "ratings" in parts:
        contests = [
            _contest(setting, luck, played["damrak"][luck].rounds) for luck in range(compared)
        ]

        def compared_so_far(done: int, of: int) -> None:
            tell(f"comparing ratings: {done} of {of} seasons")

        with side_by_side(compared, _COMPARED) as run:
            scores = compare(contests, setting.seed, run, compared_so_far)
        found["ratings"] = {name: _score(score) for name, score in scores.items()}
    if "mirror_variance" in parts:
        found["mirror_variance"] = mirror_variance()
    if "fit" in parts:
        world = setting.world(0)
        scale = setting.scale(world)
        history = played["damrak"][0].history if played else _history(setting, world, scale, tell)
        tell("measuring a fit")
        found["fit"] = fit_cost(history, scale, setting.bots)
    if "coverage" in parts:

        def covered(done: int, of: int) -> None:
            tell(f"testing intervals: {100 * done // of} %")

        found["coverage"] = coverage(setting, anchor_errors, seasons, covered)
    if "forecasts" in parts:

        def tested(done: int, of: int) -> None:
            tell(f"testing forecasts: {100 * done // of} %")

        found["forecasts"] = calibration(setting.seed, seasons or SEASONS, tested)
    return found


def _contest(setting: Setting, luck: int, rounds: Sequence[History]) -> Contest:
    world = setting.world(luck)
    return Contest(world, setting.scale(world), _first(rounds, _COMPARED))


def _history(setting: Setting, world: World, scale: Scale, tell: Tell) -> History:
    def played(blocks: int) -> None:
        tell(f"arranging blocks: {blocks:,} of {setting.blocks:,}")

    return arranged(setting, world, scale, played)


def _first(rounds: Sequence[History], blocks: int) -> Sequence[History]:
    """Return the first rounds, up to this number of blocks."""
    kept: list[History] = []
    played = 0
    for news in rounds:
        played += len(news)
        if kept and played > blocks:
            break
        kept.append(news)
    return kept


def _score(score: Score) -> dict[str, float | None]:
    coverage = score.coverage95
    known = coverage is not None and math.isfinite(coverage)
    return {
        "log_loss": round(score.log_loss, 6),
        "coverage95": round(coverage, 4) if known and coverage is not None else None,
    }


# ---- text output --------------------------------------------------------------------------------


def as_text(found: Mapping[str, Any]) -> str:
    """Return the report as text tables."""
    parts = []
    if "matchmaking" in found:
        parts.append(_matchmaking(found["matchmaking"]))
        parts.append(_waits(found["pairing"]))
    if "ratings" in found:
        rows: list[Row] = [("rating", "log-loss", "truth inside 95 % intervals")]
        for name, score in found["ratings"].items():
            inside = score["coverage95"]
            share = "knows none" if inside is None else f"{100 * inside:.1f} %"
            rows.append((name, f"{score['log_loss']:.4f}", share))
        parts.append("Games foretold (less is better) and intervals\n\n" + _table(rows))
    if "mirror_variance" in found:
        rows = [("two bots", "variance left")]
        rows += [(pair, f"{ratio:.2f}") for pair, ratio in found["mirror_variance"].items()]
        heading = "A mirrored block against two independent games, from a record of real games\n\n"
        parts.append(heading + _table(rows))
    if "fit" in found:
        fit = found["fit"]
        parts.append(
            f"Fit of {fit['versions']:,} versions and {fit['blocks']:,} blocks: "
            f"{fit['seconds']:.1f} s on one core, {fit['max_rss_mb']:.0f} MB"
        )
    if "coverage" in found:
        heading = (
            f"Intervals that contain the true Elo, {found['coverage'][0]['seasons']:,} seasons"
        )
        parts.append(f"{heading}\n\n{_table(rows_of(found['coverage']))}")
    parts += [_forecasts(world) for world in found.get("forecasts", ())]
    return "\n\n".join(parts) + "\n"


def _forecasts(world: Mapping[str, Any]) -> str:
    rows: list[Row] = [("statement", "from", "to", "shown", "true", "figures")]
    for one in world["bins"]:
        edges = [f"{100 * one[edge]:.0f} %" for edge in ("from", "to")]
        true = f"{100 * one['true']:.1f} ± {100 * one['error']:.1f} %"
        rows.append(
            (one["statement"], *edges, f"{100 * one['shown']:.1f} %", true, f"{one['n']:,}")
        )
    heading = f"Forecasts for {world['bots']} bots: {world['world']}, {world['seasons']:,} seasons"
    return f"{heading}\n\n{_table(rows)}"


def _matchmaking(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    marks = {name: [(m["blocks"], m["rank_correlation"]) for m in found[name]] for name in found}
    rows = [("blocks", *marks)]
    lines = list(zip(*marks.values(), strict=False))
    for line in lines[(len(lines) - 1) % _EVERY :: _EVERY]:
        rows.append((f"{line[0][0]:,}", *(f"{correlation:.4f}" for _, correlation in line)))
    text = "Rank correlation with the truth\n\n" + _table(rows)
    shares = shares_needed(marks["damrak"], marks["random"])
    if shares["first_mark"] is not None:
        reached = shares["first_mark"] * marks["random"][-1][0]
        text += f"\n\nOur matchmaking is where random pairing ends after {reached:,.0f} blocks"
        text += f" ({100 * shares['first_mark']:.0f} %)."
    if shares["between_marks"] is not None:
        part = 100 * shares["between_marks"]
        text += f"\nOver the last third of random pairing it needs {part:.0f} % of the blocks."
    return text


def _waits(found: Mapping[str, Any]) -> str:
    fair, longest = found["fair_turn"], found["longest_wait"]
    return (
        f"The longest that an eligible bot waited was {longest} tables, in {found['seasons']:,} "
        f"seasons: {longest / fair:.1f} fair turns of {fair:.1f} tables "
        f"(limit: {MOST_TURNS:g} turns)"
    )


def pairing_summary(
    marks: Mapping[str, Sequence[Mapping[str, float]]], seasons: Sequence[Season]
) -> dict[str, Any]:
    """Return the shares of random pairing's blocks that ours needs, and its longest wait."""
    lines = {
        name: [(int(mark["blocks"]), mark["rank_correlation"]) for mark in marks[name]]
        for name in ("damrak", "random")
    }
    waits = [season.waits for season in seasons if season.waits is not None]
    return {
        "share_of_random": shares_needed(lines["damrak"], lines["random"]),
        "seasons": len(waits),
        "fair_turn": round(waits[0].fair_turn, 2),
        "longest_wait": max(one.longest for one in waits),
    }


def shares_needed(ours: Marks, random: Marks) -> dict[str, float | None]:
    """Return the share of random pairing's blocks that ours needs for the same final accuracy.

    It is given at the first mark that is accurate enough, and interpolated between the marks.
    """
    reached = first_mark(ours, random[-1][1])
    between = blocks_needed(ours, random)
    return {
        "first_mark": None if reached is None else round(reached / random[-1][0], 4),
        "between_marks": None if between is None else round(between, 4),
    }


def first_mark(marks: Marks, correlation: float) -> int | None:
    """Return the blocks at the first mark with at least this correlation; None if there is none."""
    return next((blocks for blocks, own in marks if own >= correlation), None)


def blocks_needed(ours: Marks, other: Marks) -> float | None:
    """Return the ratio of blocks that ours needs for the final accuracy of `other`, or None.

    Rank errors decrease with blocks in nearly straight lines on logarithmic scales, so they are
    interpolated between marks on these scales. Because a single point is subject to chance, the
    ratio is averaged over the last third of blocks.
    """

    def wrong(marks: Marks) -> list[float]:
        return [math.log(max(1e-9, 1 - correlation)) for _, correlation in marks]

    if len(ours) < 3 or len(other) < 3:
        return None
    errors = np.minimum.accumulate(wrong(ours))
    # Marks that are not better than all before carry no information.
    ahead = np.diff(errors, prepend=np.inf) < 0
    at = np.log([blocks for blocks, _ in ours])[ahead]
    errors = errors[ahead]
    parts = []
    for (blocks, _), error in zip(other, wrong(other), strict=True):
        if 3 * blocks < 2 * other[-1][0]:
            continue
        if error < errors[-1]:
            return None
        parts.append(float(np.interp(-error, -errors, at)) - math.log(blocks))
    return math.exp(sum(parts) / len(parts))


def _table(rows: Sequence[Row]) -> str:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        first, *rest = (
            cell.ljust(w) if not i else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join([first, *rest]))
    return "\n".join(lines)


def teller() -> Tell:
    """Return a function that shows progress on stderr: in place on a terminal."""
    shown, at = "", 0.0

    def tell(what: str) -> None:
        nonlocal shown, at
        stage, now = what.partition(":")[0], time.monotonic()
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{what}")
        elif stage != shown or now >= at + _SILENCE:
            sys.stderr.write(what + "\n")
            at = now
        shown = stage
        sys.stderr.flush()

    return tell
