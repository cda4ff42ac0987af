"""The command `damrak-ladder migrate`."""

from __future__ import annotations

import argparse
from typing import Any

from damrak_ladder.commands.output import say
from damrak_ladder.commands.parser import add_command


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "migrate",
        "update the database to this version of the software",
        "Creates or changes the tables of the database as this version of the software "
        "requires. Completed migrations are not repeated. Make a backup first.",
        """
        damrak-ladder migrate
        damrak-ladder migrate --check     only say whether something is to be done (exit code 1)
        """,
        run,
    )
    parser.add_argument("--check", action="store_true", help="only report pending migrations")


def run(args: argparse.Namespace) -> int:
    """Migrate the database, or report whether that is necessary."""
    from damrak_ladder.management import load

    load()
    from django.utils import timezone

    from damrak_ladder.health.parts import WELL, migrations
    from damrak_ladder.health.tables import bring_up_to_date, cure, difference

    if args.check:
        found = migrations(timezone.now())
        if found == WELL and (other := difference()):
            found = f"{other}, although none is pending: {cure()}"
        say(f"migrations: {found}")
        return 0 if found == WELL else 1
    bring_up_to_date()
    say("The tables are those of this version.")
    return 0
