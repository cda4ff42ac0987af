"""Nothing is lost, double or different when everything is killed at random."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaos.plan import Plan
from chaos.trial import carry_out, compare

PLAN = Plan(blocks=100, seed="test")
KILLS = 100


@pytest.fixture
def folder() -> Iterator[Path]:
    # Not tmp_path: the paths of sockets must be short.
    place = Path(tempfile.mkdtemp(prefix="dmk"))
    yield place
    shutil.rmtree(place)


@pytest.mark.soak
def test_a_hundred_kills_change_nothing(folder: Path) -> None:
    undisturbed = carry_out(PLAN, folder / "u")
    # Some more, because the last blocks may end before they are interrupted.
    disturbed = carry_out(PLAN, folder / "d", KILLS * 6 // 5)
    assert len(undisturbed.results) == len(PLAN.matches) == 200
    assert disturbed.kills.total() >= KILLS
    assert min(disturbed.kills[name] for name in ("referee", "runner", "caller")) >= 10
    assert disturbed.attempts > PLAN.blocks  # the kills interrupted attempts
    assert compare(PLAN, disturbed, undisturbed) == (0, 0, 0)
    assert undisturbed.left == disturbed.left == []
