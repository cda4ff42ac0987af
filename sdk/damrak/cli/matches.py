"""`damrak matches`: list matches of a ladder by any filter."""

from __future__ import annotations

import argparse

from damrak.cli.arguments import positive
from damrak.cli.console import out
from damrak.cli.errors import OK
from damrak.cli.ladders import add_site
from damrak.cli.parser import Commands, add_command
from damrak.cli.played import add_filters, add_output, match_line, matches, print_json


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "matches",
        run,
        summary="list matches of a ladder",
        text="""
            Lists matches, newest first, with the places and points of their bots. It needs no
            login. With --ndjson and without --limit, it prints all matches as they arrive.""",
        examples=(
            "damrak matches --bot my-bot --result lost",
            "damrak matches --ladder amsterdam --since 2030-01-01 --ndjson > matches.ndjson",
            "damrak download --bot my-bot --fault any",
        ),
    )
    add_filters(parser)
    parser.add_argument(
        "--limit",
        metavar="N",
        type=positive,
        help="list at most N matches (default: 20, with --ndjson all)",
    )
    add_site(parser)
    add_output(parser, "match")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_address
    from damrak.ladder.site import Site

    site = Site(find_address(args.to, may_be_plain=args.insecure))
    limit = args.limit if args.limit is not None or args.ndjson else 20
    found = matches(site, args, limit)
    if print_json(found, args):
        return OK
    console, is_empty = out(), True
    for match in found:
        is_empty = False
        console.print(match_line(match), soft_wrap=True, highlight=False, markup=False)
    if is_empty:
        console.print("no matches meet these filters", markup=False)
    return OK
