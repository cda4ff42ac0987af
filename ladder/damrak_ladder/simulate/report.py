"""What a simulation found: computed part by part, told to programs and to people."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from damrak_ladder.ratings import History, Scale
from damrak_ladder.simulate.comparison import Contest, Score, compare
from damrak_ladder.simulate.cost import fit_cost
from damrak_ladder.simulate.mirror import mirror_variance
from damrak_ladder.simulate.pairing import PAIRINGS, Standing
from damrak_ladder.simulate.season import Season, joined, play_season
from damrak_ladder.simulate.world import World, world_of

COMPARED: Final = 30_000  # blocks at most that the ratings are compared on: others are slow
_MOST_COMPARED: Final = 8  # seasons
_SEASONS_OVER: Final = 60_000  # blocks together, of which each pairing plays several seasons
_MOST_SEASONS: Final = 40  # a season of few blocks has much luck
_SHORTEST: Final = 12  # blocks for each season: a glance at a few blocks should not take long
_ANCHORS: Final = (0.05, 0.35, 0.65, 0.95)  # where on the ladder the house bots stand

Marks = Sequence[tuple[int, float]]
Row = Sequence[str]
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be simulated."""

    bots: int
    blocks: int
    seed: int
    spread: float
    cycles: float
    parts: Sequence[str]


def simulate(plan: Plan, tell: Tell) -> dict[str, Any]:
    """The parts of the report, in the form that `--json` prints."""
    found: dict[str, Any] = {}
    ours: list[Season] = []
    if "matchmaking" in plan.parts:
        ours = _seasons(plan, "damrak", seasons_of(plan.blocks), tell)
        found["matchmaking"] = {
            name: _marks(
                ours if name == "damrak" else _seasons(plan, name, seasons_of(plan.blocks), tell)
            )
            for name in PAIRINGS
        }
    if "ratings" in plan.parts:
        compared = min(seasons_of(plan.blocks), max(1, COMPARED // plan.blocks), _MOST_COMPARED)
        ours = ours or _seasons(plan, "damrak", compared, tell)
        tell("comparing ratings")
        scores = compare(
            [_contest(plan, luck, season) for luck, season in enumerate(ours[:compared])], plan.seed
        )
        found["ratings"] = {name: _score(score) for name, score in scores.items()}
    if "mirror_variance" in plan.parts:
        found["mirror_variance"] = mirror_variance()
    if "fit" in plan.parts:
        world = _world(plan, 0)
        scale = anchored(world)
        history = ours[0].history if ours else _history(plan, world, scale, tell)
        tell("measuring a fit")
        found["fit"] = fit_cost(history, scale, plan.bots)
    return found


def anchored(world: World) -> Scale:
    """Some of the bots as anchors, known for what they are."""
    order = np.argsort(world.elo, kind="stable")
    spots = _ANCHORS if len(world) >= 20 else (0.5,)
    chosen = [int(order[int(len(world) * spot)]) for spot in spots]
    return Scale({version: float(world.elo[version]) for version in chosen})


def seasons_of(blocks: int) -> int:
    """How many seasons of so many blocks each pairing plays."""
    return max(1, min(_MOST_SEASONS, _SEASONS_OVER // blocks, blocks // _SHORTEST))


def _marks(seasons: Sequence[Season]) -> list[dict[str, float]]:
    """Mean rank correlations of several seasons: a single one, and a single field, has its luck."""
    marks: list[dict[str, float]] = []
    for mark in zip(*(season.marks for season in seasons), strict=False):
        mean = float(np.mean([correlation for _, correlation in mark]))
        marks.append({"blocks": mark[0][0], "rank_correlation": round(mean, 6)})
    return marks


def _seasons(plan: Plan, name: str, count: int, tell: Tell) -> list[Season]:
    return [_season(plan, name, luck, count, tell) for luck in range(count)]


def _contest(plan: Plan, luck: int, season: Season) -> Contest:
    world = _world(plan, luck)
    return Contest(world, anchored(world), _first(season, COMPARED))


def _world(plan: Plan, luck: int) -> World:
    """The bots of a season."""
    return world_of(plan.bots, _seed(plan, luck), spread=plan.spread, cycles=plan.cycles)


def _seed(plan: Plan, luck: int) -> int:
    return plan.seed + 1_000_003 * luck


def _season(plan: Plan, name: str, luck: int, of: int, tell: Tell) -> Season:
    """One season; each has bots of its own, the same ones for every pairing."""
    told = 0

    def progress(played: int) -> None:
        nonlocal told
        if played >= told:
            tell(f"{name}: season {luck + 1} of {of}, {played:,} of {plan.blocks:,} blocks")
            told = played + max(1, plan.blocks // 20)

    world, seed = _world(plan, luck), _seed(plan, luck)
    pairing = PAIRINGS[name](plan.bots, seed)
    return play_season(world, anchored(world), pairing, plan.blocks, seed, progress)


def _history(plan: Plan, world: World, scale: Scale, tell: Tell) -> History:
    """Blocks as our matchmaking arranges them when it knows all strengths: soon made."""
    is_anchor = np.zeros(len(world), dtype=bool)
    is_anchor[list(scale.anchors)] = True
    standing = Standing(world.elo, np.where(is_anchor, 0.0, 40.0), is_anchor)
    pairing, rng = PAIRINGS["damrak"](plan.bots, plan.seed), np.random.default_rng(plan.seed)
    rounds: list[History] = []
    played, a_time = 0, max(1, plan.bots // 3)
    while played < plan.blocks:
        tables = pairing.tables(standing, min(a_time, plan.blocks - played))
        rounds.append(world.play(tables, rng))
        played += len(rounds[-1])
        tell(f"damrak: {played:,} of {plan.blocks:,} blocks")
    return joined(rounds)


def _first(season: Season, blocks: int) -> Sequence[History]:
    """The rounds up to so many blocks."""
    kept: list[History] = []
    played = 0
    for news in season.rounds:
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


# ---- for people ---------------------------------------------------------------------------------


def as_text(found: Mapping[str, Any]) -> str:
    """The same as tables."""
    parts = []
    if "matchmaking" in found:
        parts.append(_matchmaking(found["matchmaking"]))
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
        heading = "A mirrored block against two independent games, from real games\n\n"
        parts.append(heading + _table(rows))
    if "fit" in found:
        fit = found["fit"]
        parts.append(
            f"Fit of {fit['versions']:,} versions and {fit['blocks']:,} blocks: "
            f"{fit['seconds']:.1f} s on one core, {fit['max_rss_mb']:.0f} MB"
        )
    return "\n\n".join(parts) + "\n"


def _matchmaking(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    marks = {name: [(m["blocks"], m["rank_correlation"]) for m in found[name]] for name in found}
    rows = [("blocks", *marks)]
    for line in zip(*marks.values(), strict=False):
        rows.append((f"{line[0][0]:,}", *(f"{correlation:.4f}" for _, correlation in line)))
    text = "Rank correlation with the truth\n\n" + _table(rows)
    part = blocks_needed(marks["damrak"], marks["random"])
    if part is not None:
        text += f"\n\nOur matchmaking needs {100 * part:.0f} % of the blocks of random pairing."
    return text


def blocks_needed(ours: Marks, other: Marks) -> float | None:
    """By what part of the blocks ours is where the other one ends; None if it never gets there.

    Rank errors shrink with blocks in nearly straight lines on logarithmic scales, so between marks
    it is read off such lines; and as a single point has its luck, off the last third of all marks.
    """

    def wrong(marks: Marks) -> list[float]:
        return [math.log(max(1e-9, 1 - correlation)) for _, correlation in marks]

    if len(ours) < 3 or len(other) < 3:
        return None
    at = [math.log(blocks) for blocks, _ in ours]
    errors = np.minimum.accumulate(wrong(ours))
    parts = []
    for (blocks, _), error in list(zip(other, wrong(other), strict=True))[-(len(other) // 3) :]:
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
    """Tells on stderr how far it is: on a terminal in one line, else in one line a stage."""
    shown = ""

    def tell(what: str) -> None:
        nonlocal shown
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{what}")
        elif what.partition(":")[0] != shown:
            sys.stderr.write(what.partition(":")[0] + "\n")
        shown = what.partition(":")[0]
        sys.stderr.flush()

    return tell
