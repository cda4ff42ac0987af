"""`damrak logout`: revoke this machine's token."""

from __future__ import annotations

import argparse
import json

from rich.text import Text

from damrak.cli.console import out, remark
from damrak.cli.errors import OK, Misuse
from damrak.cli.ladders import add_site
from damrak.cli.parser import Commands, add_command, add_json


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "logout",
        run,
        summary="log out and revoke the token of this machine",
        text="""
            Revokes the token of `damrak login` on the site, and deletes it from this machine. If
            the site cannot be reached, the token is only deleted here; revoke it there later.""",
        examples=("damrak logout", "damrak logout --to https://ladder.example.org"),
    )
    add_site(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_address, forget
    from damrak.ladder.site import Site
    from damrak.remote.credentials import kept_tokens, login_file

    address = find_address(args.to, may_be_plain=args.insecure)
    token = kept_tokens(login_file()).get(address.text)
    if token is None:
        raise Misuse(f"this machine is not logged in to {address.text}")
    is_void = forget(Site(address, token))
    if not is_void:
        remark("the site could not be reached; revoke the token there")
    if args.json:
        print(json.dumps({"url": address.text, "revoked": is_void}))
        return OK
    out().print(Text(f"logged out of {address.text}"), soft_wrap=True)
    return OK
