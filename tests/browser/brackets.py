"""Creates knockouts of 64 bots in a data folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import django

from browser.sites import TESTS
from damrak_ladder.management import prepare
from ladder.databases import create_tables

FORMATS = ("single-elimination", "double-elimination")


def brackets_in(home: Path) -> None:
    """Start a knockout of 64 bots of each format in this data folder, in a separate process."""
    variables = os.environ | {"DAMRAK_HOME": str(home), "PYTHONPATH": str(TESTS)}
    subprocess.run([sys.executable, "-m", "browser.brackets"], env=variables, check=True)


def main() -> None:
    """Start the knockouts."""
    prepare()
    django.setup()
    create_tables()
    from ladder.tournaments.cups import started

    for format_ in FORMATS:
        started(64, format_, slug=format_.partition("-")[0])


if __name__ == "__main__":
    main()
