"""A runner in another container of the same machine, whose run folder has the same name."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys

import pytest

from sandboxes import INNOCENT, Ground, on_ground, program

pytestmark = pytest.mark.process


# Starts and ends a runner with another folder mounted at the first argument.
ANOTHER = """
import asyncio, subprocess, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from damrak_referee.runner.client import Runner, RunnerSettings
async def main():
    root = Path(sys.argv[1])
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", root], check=True)
    runner = await Runner.start(RunnerSettings(run=root / "run", store=root / "store"))
    print(runner.isolation)
    await runner.close()
asyncio.run(main())
"""


@pytest.mark.root
@pytest.mark.skipif(
    not (sys.platform == "linux" and os.geteuid() == 0 and shutil.which("unshare")),
    reason="only root can mount another folder in the same place",
)
def test_a_runner_elsewhere_with_the_same_name_sweeps_nothing_of_ours() -> None:
    async def run(there: Ground) -> None:
        seat = await there.seat(program(INNOCENT))
        assert await seat.ask() == b"ping"
        code = [sys.executable, "-c", ANOTHER, str(there.root), *sys.path]
        other = await asyncio.create_subprocess_exec(
            "unshare", "--mount", *code, stdout=asyncio.subprocess.PIPE
        )
        said, _ = await other.communicate()
        assert said.decode().split() == [there.runner.isolation]
        assert await seat.ask(b"still there") == b"still there"
        assert (await seat.stop()).cause == "stopped"

    on_ground(run)
