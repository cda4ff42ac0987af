"""The command `damrak-ladder doctor`."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from typing import Any, Final

from damrak_ladder.commands.output import say, say_json
from damrak_ladder.commands.parser import add_command, add_json

_MARKS: Final = {"well": "ok", "doubtful": "??", "wrong": "!!"}


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "doctor",
        "check all components and suggest fixes",
        """
        Checks settings, data folder, database, hosts, queue, a sample of replays and archives,
        broker, clerk, referee, site, disk and mail, all in parallel. A component that does not
        respond within four seconds is reported as failed. The exit code is 1 if a check failed,
        and 0 if all checks passed or only gave warnings. Run it as the same user and with the
        same variables as the site.
        """,
        """
        damrak-ladder doctor
        damrak-ladder doctor --json
        """,
        run,
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Examine the installation and print the findings."""
    from damrak_ladder.management import load, prepare

    prepare()
    _take_embedded_referee()
    load()
    from damrak_ladder.health.examination import examine
    from damrak_ladder.health.findings import Verdict

    found = []
    for finding in examine():
        found.append(finding)
        if args.json:
            continue
        say(f"{_MARKS[finding.verdict]}  {finding.part}: {finding.what}")
        if finding.cure:
            say(f"    → {finding.cure}")
    if args.json:
        say_json([asdict(finding) for finding in found])
    return 1 if any(finding.verdict is Verdict.WRONG for finding in found) else 0


def _take_embedded_referee() -> None:
    """Examine the referee of a running `damrak-ladder up`."""
    from damrak_ladder.embedded.lock import holder
    from damrak_ladder.embedded.places import Places
    from damrak_ladder.installation.environment import read_environment

    home = read_environment(os.environ).home
    if holder(home / "up.lock"):
        os.environ.setdefault("DAMRAK_LADDER_REFEREE", f"unix:{Places.of(home).control}")
