"""Many seasons of every pairing, on all cores, because a single one depends too much on chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from damrak_ladder.ratings import Scale
from damrak_ladder.simulation.pairing import PAIRINGS
from damrak_ladder.simulation.season import Season, play_season
from damrak_ladder.simulation.side_by_side import Progress, side_by_side
from damrak_ladder.simulation.world import World, world_of

_EFFORT: Final = 600_000  # blocks that each pairing plays in all its seasons together, including
_BEGIN: Final = 1600  # the overhead of a season, in blocks, and
_BEGIN_BOT: Final = 18  # its overhead per bot, in blocks
_GLANCE: Final = 4  # limit of seasons per block, because runs with few blocks should be quick
_MEASURED: Final = ("damrak", "random")  # these play all seasons; the others play
_FEWER: Final = 4  # one in this many
_ANCHORS: Final = (0.05, 0.35, 0.65, 0.95)  # positions of the house bots on the ladder


@dataclass(frozen=True, slots=True)
class Setting:
    """The parameters of a simulation."""

    bots: int
    blocks: int
    seed: int
    spread: float
    cycles: float
    per_owner: int = 1  # number of bots of each owner
    batch: int | None = None  # blocks that are arranged on the same estimates
    has_anchors: bool = True

    def scale(self, world: World) -> Scale:
        """Return the scale with the anchors of a season."""
        return anchored(world) if self.has_anchors else Scale()

    def world(self, luck: int) -> World:
        """Return the bots of a season: they differ between seasons, but not between pairings."""
        return world_of(self.bots, self.luck(luck), spread=self.spread, cycles=self.cycles)

    def luck(self, season: int) -> int:
        """Return the seed of a season."""
        return self.seed + 1_000_003 * season

    @property
    def seasons(self) -> int:
        """The number of seasons to play: more if they are short."""
        each = _BEGIN + _BEGIN_BOT * self.bots + self.blocks
        return max(1, min(_EFFORT // each, _GLANCE * self.blocks))


def anchored(world: World) -> Scale:
    """Return a scale with some of the bots as anchors at their true strength."""
    order = np.argsort(world.elo, kind="stable")
    spots = _ANCHORS if len(world) >= 20 else (0.5,)
    chosen = [int(order[int(len(world) * spot)]) for spot in spots]
    return Scale({version: float(world.elo[version]) for version in chosen})


def play(
    setting: Setting, pairings: Mapping[str, int], keep: int, progress: Progress
) -> dict[str, list[Season]]:
    """Play the given number of seasons of each of these pairings.

    `progress` is called with the number of completed seasons and of all seasons. The games of the
    first `keep` seasons of our matchmaking are kept; all others are dropped. The result does not
    depend on the number of cores.
    """
    tasks = [
        _Task(setting, name, luck, name == "damrak" and luck < keep)
        for luck in range(max(pairings.values()))
        for name, seasons in pairings.items()
        if luck < seasons
    ]
    found: dict[str, list[Season]] = {name: [] for name in pairings}
    with side_by_side(len(tasks), setting.blocks) as run:
        for number, (task, season) in enumerate(zip(tasks, run(_played, tasks), strict=True)):
            found[task.name].append(season)
            progress(number + 1, len(tasks))
    return found


def mean_marks(seasons: Sequence[Season]) -> list[dict[str, float]]:
    """Return mean rank correlations of several seasons, because a single one depends on chance."""
    marks: list[dict[str, float]] = []
    for mark in zip(*(season.marks for season in seasons), strict=False):
        mean = float(np.mean([correlation for _, correlation in mark]))
        marks.append({"blocks": mark[0][0], "rank_correlation": round(mean, 6)})
    return marks


def shares_of(seasons: int) -> dict[str, int]:
    """Return the number of seasons that each pairing plays."""
    fewer = max(min(seasons, _FEWER), seasons // _FEWER)
    return {name: seasons if name in _MEASURED else fewer for name in PAIRINGS}


@dataclass(frozen=True, slots=True)
class _Task:
    setting: Setting
    name: str
    luck: int
    keep: bool


def _played(task: _Task) -> Season:
    setting, seed = task.setting, task.setting.luck(task.luck)
    world = setting.world(task.luck)
    pairing = PAIRINGS[task.name](setting.bots, seed, setting.per_owner)
    scale = setting.scale(world)
    season = play_season(world, scale, pairing, setting.blocks, seed, setting.batch)
    return season if task.keep else replace(season, rounds=[])
