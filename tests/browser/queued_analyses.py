"""Computes the queued analyses of a data folder with reduced effort."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from browser.sites import TESTS
from damrak_ladder.management import load

EFFORT = 0.03


def analyse_in(home: Path) -> None:
    """Compute the queued analyses in a separate process."""
    variables = os.environ | {"DAMRAK_HOME": str(home), "PYTHONPATH": str(TESTS)}
    subprocess.run([sys.executable, "-m", "browser.queued_analyses"], env=variables, check=True)


def main() -> None:
    """Work until the queue is empty."""
    load()
    from damrak_ladder.analyses.computation import compute_next

    while compute_next(lambda: datetime.now(UTC), EFFORT):
        pass


if __name__ == "__main__":
    main()
