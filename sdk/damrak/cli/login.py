"""`damrak login`: authorize this machine for a ladder."""

from __future__ import annotations

import argparse
import getpass
import json
import sys
import webbrowser
from pathlib import Path

from rich.text import Text

from damrak.cli.console import err, out
from damrak.cli.errors import OK, Misuse
from damrak.cli.ladders import add_site, clean
from damrak.cli.parser import Commands, add_command, add_json


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "login",
        run,
        summary="log in to a ladder",
        text="""
            Shows a short code and a URL. Open the URL in any browser, sign in, compare the code and
            approve it. This machine then gets its own token, which you can revoke on the site at
            any time. For machines without a user, such as CI jobs, create a token on the site, and
            pass it in a file, on standard input, or in the variable DAMRAK_API_TOKEN, which needs
            no login. The token is saved in the login file, which only you can read.""",
        examples=(
            "damrak login --to https://ladder.example.org",
            "damrak login --to https://ladder.example.org --token-file token.txt",
            "cat token.txt | damrak login --to https://ladder.example.org --token-file -",
        ),
    )
    add_site(parser)
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="read the token from this file, or from standard input if it is -",
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="do not open a browser, only show the URL"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_address, keep_login
    from damrak.ladder.site import Site

    address = find_address(args.to, may_be_plain=args.insecure)
    token = _ask(args, Site(address)) if args.token_file is None else _given(args.token_file)
    me = keep_login(Site(address, token))
    if args.json:
        print(json.dumps({"url": address.text, **me}))
        return OK
    name = clean(me["username"])
    out().print(Text(f"{name} is logged in to {address.text}", "green"), soft_wrap=True)
    return OK


def _ask(args: argparse.Namespace, site: object) -> str:
    from damrak.ladder.login import ask, collect
    from damrak.ladder.site import Site

    assert isinstance(site, Site)
    asked, console = ask(site), err()
    console.print(Text.assemble("the code is ", (clean(asked.code), "bold")))
    console.print(Text(f"open {clean(asked.page)}, sign in, and approve it"), soft_wrap=True)
    # Open only pages of the site itself, even if it names another.
    is_own = asked.link.startswith(f"{site.address.text}/")
    if is_own and not args.no_browser and sys.stdin.isatty() and sys.stderr.isatty():
        webbrowser.open(asked.link)
    return collect(site, asked)


def _given(file: str) -> str:
    from damrak.remote.credentials import read_token

    if file != "-":
        return read_token(Path(file))
    text = getpass.getpass("token: ") if sys.stdin.isatty() else sys.stdin.readline()
    if not text.strip():
        raise Misuse("--token-file -: there is no token on standard input")
    return text.strip()
