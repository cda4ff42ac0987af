"""`damrak whoami`: show the account of this machine's token."""

from __future__ import annotations

import argparse
import json

from rich.text import Text

from damrak.cli.console import out
from damrak.cli.errors import OK
from damrak.cli.ladders import add_site, clean
from damrak.cli.parser import Commands, add_command, add_json


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "whoami",
        run,
        summary="show the account that is logged in",
        text="""
            Shows the account to which the token of this machine belongs, its permissions, and when
            it expires.""",
        examples=("damrak whoami", "damrak whoami --to http://127.0.0.1:8000 --json"),
    )
    add_site(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_site

    site = find_site(args.to, may_be_plain=args.insecure)
    me = site.get("me")
    if args.json:
        print(json.dumps({"url": site.address.text, **me}))
        return OK
    token = me["token"]
    expires = "never expires" if token["expires"] is None else f"until {token['expires'][:10]}"
    may = ", ".join(map(str, token["scopes"]))
    words = f"{me['username']} ({me['role']}) at {site.address.text}"
    out().print(Text(clean(words)), soft_wrap=True)
    out().print(Text(clean(f"token {token['name']}: {may}; {expires}"), "dim"), soft_wrap=True)
    return OK
