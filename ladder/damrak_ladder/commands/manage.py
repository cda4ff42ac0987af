"""The command `damrak-ladder manage`, which runs Django's own commands."""

from __future__ import annotations

import argparse
from typing import Any

from damrak_ladder.commands.parser import add_command
from damrak_ladder.management import manage


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "manage",
        "run a Django management command",
        "Runs a Django management command on this installation. `damrak-ladder manage help` "
        "lists them.",
        """
        damrak-ladder manage check --deploy
        damrak-ladder manage shell
        damrak-ladder manage clearsessions
        """,
        run,
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="COMMAND …")


def run(args: argparse.Namespace) -> int:
    """Run a management command."""
    manage(args.arguments or ["help"])
    return 0
