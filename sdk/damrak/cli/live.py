"""`damrak live`: choose the version that plays."""

from __future__ import annotations

import argparse
import json

from rich.text import Text

from damrak.cli.arguments import positive
from damrak.cli.console import out
from damrak.cli.errors import OK
from damrak.cli.ladders import add_site
from damrak.cli.parser import Commands, add_command, add_json


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "live",
        run,
        summary="make a version live",
        text="""
            Makes a qualified version live, in place of the current one. It can be a canary or an
            earlier version. Games and ratings of both versions are kept.""",
        examples=("damrak live my-bot 3", "damrak live my-bot 2 --to https://ladder.example.org"),
    )
    parser.add_argument("bot", metavar="NAME", help="the bot's name on the ladder")
    parser.add_argument("version", metavar="N", type=positive, help="number of the version")
    add_site(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_site
    from damrak.ladder.site import part

    site = find_site(args.to, may_be_plain=args.insecure)
    said = site.post(f"bots/{part(args.bot)}/live", {"version": args.version})
    if args.json:
        print(json.dumps(said))
        return OK
    out().print(Text(f"{args.bot}: version {args.version} is live", "green"), soft_wrap=True)
    return OK
