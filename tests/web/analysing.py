"""Compute the analyses that wait in a data folder, with little effort."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from damrak_ladder.management import load
from web.sites import TESTS

EFFORT = 0.03


def analyse_in(home: Path) -> None:
    """Let a process of its own compute what waits there."""
    variables = os.environ | {"DAMRAK_HOME": str(home), "PYTHONPATH": str(TESTS)}
    subprocess.run([sys.executable, "-m", "web.analysing"], env=variables, check=True)


def main() -> None:
    """Work until nothing waits."""
    load()
    from damrak_ladder.analyses.computing import compute_next

    while compute_next(lambda: datetime.now(UTC), EFFORT):
        pass


if __name__ == "__main__":
    main()
