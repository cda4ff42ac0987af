"""`damrak tournaments`: list the tournaments of a ladder."""

from __future__ import annotations

import argparse
import json

from rich.text import Text

from damrak.cli.console import out
from damrak.cli.errors import OK
from damrak.cli.ladders import add_site
from damrak.cli.parser import Commands, add_command, add_json
from damrak.cli.tournament_site import site_of, table_of


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "tournaments",
        run,
        summary="list the tournaments of a ladder",
        text="""
            Lists the tournaments of a ladder, newest first, with their phase and number of
            entrants. It needs no login; with one, it also lists your private tournaments.""",
        examples=("damrak tournaments", "damrak tournaments --phase running --json"),
    )
    parser.add_argument(
        "--phase", default="", metavar="PHASE", help="only these, such as open or running"
    )
    add_site(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    only = {"phase": args.phase} if args.phase else {}
    found = site_of(args).get("tournaments", limit=100, **only)
    if args.json:
        print(json.dumps(found))
        return OK
    if not found:
        out().print(Text("There are no tournaments yet."))
        return OK
    rows = [
        (one["slug"], one["phase"], ", ".join(one["formats"]), one["entrants"], one["name"])
        for one in found
    ]
    out().print(table_of(("tournament", "phase", "format", "entrants", "name"), rows))
    return OK
