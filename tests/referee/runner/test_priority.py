"""Bots of low priority: the kernel gives them less of a busy processor than others."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from damrak_referee.runner.client import RunnerSettings
from damrak_referee.runner.priority import SHARES, WEIGHT
from processes import bots_of, low_niceness, niceness
from sandboxes import INNOCENT, Ground, groups, on_ground, program

pytestmark = pytest.mark.process

USUAL_WEIGHTS = {"cpu.weight": 100, "cpu.shares": 1024}
LOW_WEIGHTS = {"cpu.weight": WEIGHT, "cpu.shares": SHARES}


def test_a_sandbox_of_low_priority_weighs_less_than_others() -> None:
    async def run(there: Ground) -> None:
        runner = there.runner
        assert runner.pid is not None
        usual = await there.seat(program(INNOCENT))
        assert await usual.ask() == b"ping"
        first = bots_of(runner.pid)
        low = await there.seat(program(INNOCENT), low_priority=True)
        assert await low.ask() == b"ping"
        second = bots_of(runner.pid) - first
        has_groups = not any("processor" in line or "memory" in line for line in runner.missing)
        for processes, nice, expected in (
            (first, os.nice(0), USUAL_WEIGHTS),
            (second, low_niceness(), LOW_WEIGHTS),
        ):
            assert {niceness(one) for one in processes} == {nice}
            found = set(weights(runner.settings, processes))
            assert found <= expected.items()
            assert bool(found) == has_groups

    on_ground(run)


def weights(settings: RunnerSettings, processes: set[int]) -> Iterator[tuple[str, int]]:
    """Yield names and values of weights of the control groups of a runner's processes."""
    inner = [path for group in groups(settings) for path in group.iterdir() if path.is_dir()]
    for folder in inner:
        if processes & set(map(int, (folder / "cgroup.procs").read_text().split())):
            there = [name for name in USUAL_WEIGHTS if (folder / name).exists()]
            yield from ((name, int((folder / name).read_text())) for name in there)
