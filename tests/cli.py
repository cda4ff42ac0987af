"""The command line as a user runs it: a process, its exit code and what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "damrak")


def damrak(*arguments: str | Path, cwd: Path | None = None, **more: Any) -> Any:
    """The finished process of `damrak ARGUMENTS`."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, **more
    )


def started(*arguments: str | Path, cwd: Path | None = None) -> subprocess.Popen[str]:
    """The same, while it still runs."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=os.name != "nt",
    )
