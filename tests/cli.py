"""The command line, run as by a user: in a process, with its exit code and output."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "damrak")


def damrak(*arguments: str | Path, cwd: Path | None = None, **more: Any) -> Any:
    """Run `damrak ARGUMENTS` and return the finished process."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, **more
    )


def started(*arguments: str | Path, cwd: Path | None = None) -> subprocess.Popen[str]:
    """Start `damrak ARGUMENTS` and return the running process."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=os.name != "nt",
    )
