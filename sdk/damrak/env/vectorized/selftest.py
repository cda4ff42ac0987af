"""The lock-step test: the native core against the engine, with the same chance and actions.

After every step all arrays of both are compared: observations, masks, rewards, results, and the
number of random numbers that the rules have used.
"""

from __future__ import annotations

import itertools
import multiprocessing
import random
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from damrak.env.encode import encoder_for
from damrak.env.vectorized.engine import EngineGames
from damrak.env.vectorized.native import NativeGames
from damrak.env.vectorized.plan import (
    AS_SEATED,
    RANDOM_SEAT,
    Arrays,
    Autoreset,
    Control,
    Plan,
    Reward,
    arrays_for,
)
from damrak_engine.boards import board_names, load_board
from damrak_engine.options import CHOICES, parse_options
from damrak_engine.rules import Rules, rules_for

ROWS: Final = 256
PORTION: Final = 200_000  # steps of one configuration with one seed
SHARES: Final = (0.95, 0.05)  # of the steps for each way to play: all seats, and against bots
ALL_VIEWS_EVERY: Final = 16  # steps, after which every seat's observation is compared
COMPARED: Final = ("observations", "masks", "rewards", "terminals", "seats", "seat_rewards")
ALSO_COMPARED: Final = ("final_observations", "outcomes")
TURN_LIMITS: Final = ("off", "25")
BYTE: Final = 255
CANDIDATES: Final = 60  # random combinations from which each further one is chosen


@dataclass(frozen=True, slots=True)
class Configuration:
    """A board, a number of seats and all options."""

    board: str
    seats: int
    options: tuple[tuple[str, str], ...]

    @property
    def rules(self) -> Rules:
        """The rules of this configuration."""
        return rules_for(load_board(self.board), self.seats, parse_options(dict(self.options)))

    def __str__(self) -> str:
        changed = [f"{name}={value}" for name, value in self.options if value != CHOICES[name][0]]
        return " ".join([self.board, f"{self.seats} players", *changed])


@cache
def configurations() -> tuple[Configuration, ...]:
    """Return configurations in which every two values of different settings occur together.

    The default options come first, for every board and number of seats.
    """
    values = {**CHOICES, "turn_limit": TURN_LIMITS}
    settings: list[list[str | int]] = [[*board_names()], [2, 3, 4]]
    settings += [[*allowed] for allowed in values.values()]
    chosen = [
        (board, seats, *[options[0] for options in settings[2:]])
        for board, seats in itertools.product(*settings[:2])
    ]
    missing = _pairs_of_settings(settings, list(values))
    for row in chosen:
        missing -= _pairs(row)
    chance = random.Random(1)
    while missing:
        row = _next(settings, list(values), missing, chance)
        chosen.append(row)
        missing -= _pairs(row)
    return tuple(
        Configuration(str(board), int(seats), tuple(zip(values, map(str, options), strict=True)))
        for board, seats, *options in chosen
    )


Row = tuple[str | int, ...]
Pair = tuple[int, str | int, int, str | int]


def _next(
    settings: list[list[str | int]], names: list[str], missing: set[Pair], chance: random.Random
) -> Row:
    """Return a possible combination with one missing pair and many others."""
    i, a, j, b = min(missing, key=str)
    best: Row = ()
    for _ in range(CANDIDATES):
        row = [chance.choice(values) for values in settings]
        row[i], row[j] = a, b
        if _is_possible(row, names) and (
            not best or len(_pairs(tuple(row)) & missing) > len(_pairs(best) & missing)
        ):
            best = tuple(row)
    return best


def _pairs(row: Row) -> set[Pair]:
    return {(i, row[i], j, row[j]) for i in range(len(row)) for j in range(i)}


def _pairs_of_settings(settings: list[list[str | int]], names: list[str]) -> set[Pair]:
    pairs = {
        (i, a, j, b)
        for i in range(len(settings))
        for j in range(i)
        for a in settings[i]
        for b in settings[j]
    }
    first = 2 + names.index("first_player")
    return {
        (i, a, j, b)
        for i, a, j, b in pairs
        if not (i == first and j == 1 and not _is_seat(str(a), int(b)))
    }


def _is_possible(row: list[str | int], names: list[str]) -> bool:
    return _is_seat(str(row[2 + names.index("first_player")]), int(row[1]))


def _is_seat(first_player: str, seats: int) -> bool:
    name, _, number = first_player.partition(" ")
    return name != "seat" or int(number) < seats


class LockStep:
    """Core and engine side by side."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan = plan
        arrays = arrays_for(plan), arrays_for(plan)
        self.core = NativeGames(plan, arrays[0])
        self.engine = EngineGames(plan, arrays[1])
        self.steps = 0
        for games in (self.core, self.engine):
            it = games.arrays
            it.seeds.fill(seed)
            it.select.fill(1)
            games.deal()
            games.show(AS_SEATED, it.observations, it.masks, it.seats)

    def differences(self, steps: int) -> Iterator[str]:
        """Play at least `steps` steps, and yield descriptions of all differences."""
        yield from self.compare()
        core, engine = self.core.arrays, self.engine.arrays
        for number in range(-(-steps // self.plan.rows)):
            self.core.choose()
            engine.actions[:] = core.actions
            for name, games in (("core", self.core), ("engine", self.engine)):
                row = games.check()
                if row >= 0:
                    yield f"{name}: action {core.actions[row]} is illegal in row {row}"
                    return
            self.core.step()
            self.engine.step()
            self.steps += self.plan.rows
            found = list(self.compare())
            if number % ALL_VIEWS_EVERY == 0:
                found += self._compare_views()
            yield from found
            if found:
                return  # nothing agrees after the first difference

    def compare(self) -> Iterator[str]:
        """Yield descriptions of the present differences."""
        core, engine = self.core.arrays, self.engine.arrays
        for name in (*COMPARED, *ALSO_COMPARED):
            yield from self._difference(name, core, engine)
        if not np.array_equal(self.core.draws, self.engine.draws):
            row = int(np.flatnonzero(self.core.draws != self.engine.draws)[0])
            numbers = f"{self.core.draws[row]} and {self.engine.draws[row]}"
            yield f"draws: core and engine have {numbers} in row {row}"

    def _compare_views(self) -> Iterator[str]:
        for games in (self.core, self.engine):
            games.arrays.select.fill(1)
        core, engine = arrays_for(self.plan), arrays_for(self.plan)
        for seat in range(self.plan.rules.seats):
            for games, it in ((self.core, core), (self.engine, engine)):
                games.show(seat, it.observations, it.masks, it.seats)
            for name in ("observations", "masks"):
                yield from self._difference(name, core, engine)

    def _difference(self, name: str, core: Arrays, engine: Arrays) -> Iterator[str]:
        ours, theirs = getattr(core, name), getattr(engine, name)
        if ours is not None and not np.array_equal(ours, theirs):
            place = np.argwhere(ours != theirs)[0].tolist()
            values = f"{ours[tuple(place)]} and {theirs[tuple(place)]}"
            yield f"{name}: core and engine have {values} at {place}"


def plans_of(rules: Rules, rows: int = ROWS) -> list[Plan]:
    """Return ways to play by these rules: all seats, and one learner against built-in bots."""
    plan = Plan(rules, rows)
    bots = (Control.GREEDY, Control.RANDOM, Control.GREEDY)[: rules.seats - 1]
    control = (Control.LEARNER, *bots)
    is_small = encoder_for(rules).greatest.max() <= BYTE
    return [
        plan,
        replace(
            plan,
            learner=RANDOM_SEAT,
            control=control,
            autoreset=Autoreset.NEXT_STEP,
            reward=Reward.MARGIN,
            dtype=np.uint8 if is_small else np.float32,
        ),
    ]


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of a part of the test: steps compared, and descriptions of differences."""

    steps: int
    different: tuple[str, ...]


def compare(index: int, steps: int, seed: int) -> Report:
    """Compare at least `steps` steps of one configuration, in all ways to play."""
    configuration = configurations()[index]
    plans = plans_of(configuration.rules)
    done, different = 0, []
    for plan, share in zip(plans, SHARES, strict=True):
        test = LockStep(plan, seed)
        found = test.differences(round(steps * share))
        different += [f"{configuration}, seed {seed}: {it}" for it in found]
        done += test.steps
    return Report(done, tuple(different))


def run(steps: int, jobs: int = 1, seed: int = 1) -> Iterator[Report]:
    """Compare at least `steps` steps over all configurations, on several cores."""
    number = len(configurations())
    each = min(PORTION, -(-steps // number))
    portions = ((i % number, each, seed + i // number) for i in range(-(-steps // each)))
    if jobs == 1:
        yield from itertools.starmap(compare, portions)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(compare, *it) for it in itertools.islice(portions, 2 * jobs)}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            waiting |= {pool.submit(compare, *it) for it in itertools.islice(portions, len(done))}
            for future in done:
                yield future.result()
