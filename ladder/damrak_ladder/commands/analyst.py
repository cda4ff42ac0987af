"""The command `damrak-ladder analyst`."""

from __future__ import annotations

import argparse
import os
from typing import Any, Final

from damrak_ladder.commands.parser import add_command

NICENESS: Final = 15


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    add_command(
        commands,
        "analyst",
        "analyse notable and requested matches",
        """
        Computes winning chances, costly decisions and luck of recorded matches, one match at a
        time with low priority. Matches that the front page shows come first, then those that
        users request. It needs the database and the broker; no other process depends on it. One
        process is enough; several can run.
        """,
        "damrak-ladder analyst",
        run,
    )


def run(_: argparse.Namespace) -> int:
    """Compute analyses until stopped."""
    from damrak_ladder.installation.logs import log_to_stderr
    from damrak_ladder.management import load

    log_to_stderr()
    load()
    from damrak_ladder.pipeline.workers.processes import run_analyst

    os.nice(max(0, NICENESS - os.nice(0)))
    run_analyst()
    return 0
