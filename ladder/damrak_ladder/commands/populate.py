"""The command `damrak-ladder populate`."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any, Final

from damrak_ladder.commands.output import say
from damrak_ladder.commands.parser import add_command
from damrak_ladder.usage_errors import Misuse

_BAR: Final = 30


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "populate",
        "fill a database with generated data",
        """
        Fills an empty database with generated bots, versions, matches, ratings, months of
        rating history and some hundred real replays, to measure or view a full site. The
        matches were not played. The same seed gives the same data.

        A database that this command filled earlier is emptied first. Any other database that is
        not empty is rejected, unless --force is given, which ERASES it. Its tables must exist
        (damrak-ladder migrate).
        """,
        """
        DATABASE_URL=postgresql:///bench damrak-ladder populate
        DAMRAK_HOME=/tmp/full damrak-ladder populate --bots 200 --matches 5000 --seed 7
        """,
        run,
    )
    parser.add_argument(
        "--bots", type=int, default=10_000, metavar="N", help="number of bots (default: 10000)"
    )
    parser.add_argument(
        "--matches",
        type=int,
        default=1_000_000,
        metavar="N",
        help="approximate number of matches (default: 1000000)",
    )
    parser.add_argument(
        "--replays",
        type=int,
        default=300,
        metavar="N",
        help="number of replays, which the matches share (default: 300)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="random seed (default: 1)")
    parser.add_argument("--force", action="store_true", help="erase all data in the database first")


def run(args: argparse.Namespace) -> int:
    """Fill the database."""
    from damrak_ladder.management import load

    load()
    from django.utils import timezone

    from damrak_ladder.population.population import (
        FEWEST_BOTS,
        FEWEST_MATCHES,
        Size,
        erase,
        is_empty,
        is_made_up,
        populate,
    )

    for option, number, fewest, most in (
        ("bots", args.bots, FEWEST_BOTS, 1_000_000),
        ("matches", args.matches, FEWEST_MATCHES, 100_000_000),
        ("replays", args.replays, 3, 100_000),
        ("seed", args.seed, 0, 2**63),
    ):
        if not fewest <= number <= most:
            raise Misuse(f"--{option}: from {fewest} to {most}, not {number}")
    if not is_empty():
        if not (args.force or is_made_up()):
            raise Misuse(
                "this database is not empty, and what is in it was not made up; "
                "--force erases it all"
            )
        say("Erasing what is there …")
        erase()
    begun = time.monotonic()
    populate(Size(args.bots, args.matches, args.replays, args.seed), timezone.now(), _tell)
    say(f"Done in {time.monotonic() - begun:.0f} s.")
    return 0


def _tell(what: str, share: float) -> None:
    """Show a progress bar on a terminal; nothing in files."""
    if not sys.stderr.isatty():
        return
    done = round(_BAR * share)
    end = "\n" if share >= 1 else ""
    sys.stderr.write(f"\r\033[K[{'█' * done}{'·' * (_BAR - done)}] {share:4.0%} {what}{end}")
    sys.stderr.flush()
