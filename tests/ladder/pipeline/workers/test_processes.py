"""Real workers that are killed between statements lose no block and count none twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import connection

from damrak_ladder.matches.models import Attempt, Block
from ladder.tables import check_counted_once, some_block, some_versions

pytestmark = pytest.mark.process

TESTS = Path(__file__).resolve().parents[3]
WORKERS = 3
DEATHS = 9
BLOCKS = 60


def hire(name: str, statements: int, variables: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "ladder.worker", name, str(statements)],
        cwd=TESTS,
        env={**os.environ, **variables},
    )


@pytest.mark.parametrize("seed", [1])
def test_killed_workers_cost_time_and_nothing_else(seed: int, committed: dict[str, str]) -> None:
    chance = random.Random(seed)
    versions = some_versions()
    blocks = [some_block(versions, datetime.now(UTC)) for _ in range(BLOCKS)]
    connection.close()
    # The first ones are killed in the middle at the latest; their replacements live until the end.
    lives = [chance.randrange(10, 120) for _ in range(DEATHS)]
    crew = [hire(f"worker {number}", lives.pop(), committed) for number in range(WORKERS)]
    deaths = 0
    try:
        while crew:
            status = crew[0].wait(600)
            crew.pop(0)
            if status == -signal.SIGKILL:
                deaths += 1
                crew.append(hire(f"heir {deaths}", lives.pop() if lives else 0, committed))
            else:
                assert status == 0
    finally:
        for worker in crew:
            worker.kill()
            worker.wait()
    assert deaths >= WORKERS
    assert Block.objects.count() == BLOCKS
    for block in blocks:
        block.refresh_from_db()
        check_counted_once(block)
    # Some worker was killed during an attempt.
    assert Attempt.objects.exclude(outcome="recorded").exists()
