"""A referee can be controlled and watched from one process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from referee_process import RefereeProcess, short_folder


def test_one_process_drives_and_watches() -> None:
    with short_folder() as folder, RefereeProcess(folder) as referee:
        ended = subprocess.run(
            [sys.executable, "-m", "system.both_ways", referee.control_address],
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert ended.returncode == 0, ended.stderr
