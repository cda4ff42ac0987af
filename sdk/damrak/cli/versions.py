"""`damrak versions`: list the versions of a bot and their states."""

from __future__ import annotations

import argparse
import json

from rich.text import Text

from damrak.cli.console import out
from damrak.cli.errors import OK
from damrak.cli.ladders import add_site, version_line
from damrak.cli.parser import Commands, add_command, add_json


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "versions",
        run,
        summary="list the versions of a bot on a ladder",
        text="""
            Lists the versions of a bot, newest first, with their state. Shows which version is
            live, and why a version failed. No login is needed.""",
        examples=("damrak versions my-bot", "damrak versions my-bot --json"),
    )
    parser.add_argument("bot", metavar="NAME", help="the bot's name on the ladder")
    add_site(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_address
    from damrak.ladder.site import Site, part

    site = Site(find_address(args.to, may_be_plain=args.insecure))
    found = site.get(f"bots/{part(args.bot)}/versions", limit=50)
    if args.json:
        print(json.dumps(found))
        return OK
    console = out()
    for version in found:
        console.print(version_line(version), soft_wrap=True)
    if not found:
        console.print(Text(f"{args.bot} has no versions yet: damrak submit DIR --bot {args.bot}"))
    return OK
