"""The command `damrak-ladder up`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from damrak_ladder.commands.output import say
from damrak_ladder.commands.parser import add_command
from damrak_ladder.usage_errors import Misuse


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "up",
        "run the complete platform on this machine",
        """
        Runs the complete platform on this machine: broker, referee, site, worker, clerk and
        beat. The first start creates a database, an administrator with a random name, house
        bots and two ladders. All data is in the folder DAMRAK_HOME (default: var). The site
        listens on port DAMRAK_PORT (default: 8000).

        The games use at most 60 % of the machine, at low priority, unless --workers is given.
        Ctrl-C stops all processes. The next start continues where the platform stopped, also
        after a crash. Logs are in DAMRAK_HOME/logs. Processes that exit are restarted.
        """,
        """
        damrak-ladder up
        damrak-ladder up --games-per-minute 10      be gentle with this laptop
        damrak-ladder up --workers 8                eight blocks at once, whatever it costs
        DAMRAK_HOME=~/ladder DAMRAK_PORT=9000 damrak-ladder up
        """,
        run,
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="number of parallel blocks; removes the limit of 60 %%",
    )
    parser.add_argument(
        "--admin", metavar="NAME", help="name of the first administrator (default: a random one)"
    )
    parser.add_argument(
        "--games-per-minute", type=int, metavar="N", help="maximum number of new games per minute"
    )


def run(args: argparse.Namespace) -> int:
    """Run the platform in the foreground."""
    for option in ("workers", "games_per_minute"):
        number = getattr(args, option)
        if number is not None and not 1 <= number <= 10_000:
            raise Misuse(f"--{option.replace('_', '-')}: from 1 to 10000, not {number}")
    from damrak_ladder.management import prepare

    prepare()
    from damrak_ladder.embedded.part import die_with
    from damrak_ladder.embedded.plans import Size
    from damrak_ladder.embedded.platform import run_platform
    from damrak_ladder.installation.environment import processors, read_environment

    if "MAKELEVEL" in os.environ:
        die_with(os.getppid())  # killing make must not leave this process behind
    environment = read_environment(os.environ)
    workers = args.workers
    if workers is None and "DAMRAK_LADDER_WORKERS" in os.environ:
        workers = environment.workers
    games_per_minute = args.games_per_minute or environment.games_per_minute
    code = run_platform(
        environment, Size.of(processors(), workers, games_per_minute), say, args.admin
    )
    sys.stdout.flush()
    return code
