"""`damrak ratings`: the rating table of a ladder."""

from __future__ import annotations

import argparse

from damrak.cli.arguments import positive
from damrak.cli.console import out
from damrak.cli.errors import OK
from damrak.cli.ladders import add_site, clean
from damrak.cli.parser import Commands, add_command
from damrak.cli.played import add_output, print_json


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "ratings",
        run,
        summary="show the rating table of a ladder",
        text="""
            Shows the live versions of a ladder, best first, with the 95 % intervals of their Elo.
            It needs no login.""",
        examples=("damrak ratings amsterdam", "damrak ratings amsterdam --seats 2 --ndjson"),
    )
    parser.add_argument("ladder", metavar="LADDER", help="the ladder, such as amsterdam")
    parser.add_argument("--seats", type=int, choices=(2, 3, 4), help="only tables of this size")
    parser.add_argument(
        "--kind", choices=("uploaded", "remote", "house"), help="only versions of this kind"
    )
    parser.add_argument("--on", metavar="DAY", help="as of the end of this day (UTC): 2030-01-31")
    parser.add_argument(
        "--limit", metavar="N", type=positive, default=1000, help="at most N rows (default: 1000)"
    )
    add_site(parser)
    add_output(parser, "row")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_address
    from damrak.ladder.site import Site, part

    site = Site(find_address(args.to, may_be_plain=args.insecure))
    given = {name: getattr(args, name) for name in ("seats", "kind", "on")}
    query = {name: value for name, value in given.items() if value is not None}
    found = site.get(f"ladders/{part(args.ladder)}/ratings", limit=min(args.limit, 1000), **query)
    if print_json(found, args):
        return OK
    console = out()
    for row in found:
        line = (
            f"{row['rank']:>4}  {clean(row['bot']):40}  v{row['version']:<4} {row['elo']:>6.0f}"
            f"  {row['low']:>5.0f} to {row['high']:<5.0f}  {row['games']:>7} games"
        )
        console.print(line, soft_wrap=True, highlight=False, markup=False)
    if not found:
        console.print("nothing is rated there yet", markup=False)
    return OK
