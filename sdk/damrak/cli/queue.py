"""`damrak queue`: running and waiting blocks of a ladder's site."""

from __future__ import annotations

import argparse
import json
from typing import Any

from damrak.cli.console import out
from damrak.cli.errors import OK
from damrak.cli.ladders import add_site, clean
from damrak.cli.parser import Commands, add_command
from damrak.cli.played import add_output, check_names


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "queue",
        run,
        summary="show running and waiting blocks",
        text="""
            Shows the blocks that are being played, and those that wait, with their positions,
            estimated starts, and reasons for waiting. It needs no login.""",
        examples=("damrak queue", "damrak queue --bot my-bot", "damrak queue --ndjson"),
    )
    parser.add_argument("--bot", metavar="NAME", help="only blocks with this bot")
    add_site(parser)
    add_output(parser, "block")


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.login import find_address
    from damrak.ladder.site import Site

    site = Site(find_address(args.to, may_be_plain=args.insecure))
    found = site.get("queue")
    for state in ("running", "waiting"):
        found[state] = [block for block in found[state] if _has(block, args.bot)]
    if not found["running"] and not found["waiting"]:
        check_names(site, {"bot": args.bot})
    if args.json:
        print(json.dumps(found))
        return OK
    rows = [{"state": state, **block} for state in ("running", "waiting") for block in found[state]]
    console = out()
    for row in rows:
        if args.ndjson:
            print(json.dumps(row), flush=True)
        else:
            console.print(_line(row), soft_wrap=True, highlight=False, markup=False)
    if not args.ndjson:
        counts = f"{found['running_count']} running, {found['waiting_count']} waiting"
        console.print(
            f"{counts}; {found['hosts']} host{'' if found['hosts'] == 1 else 's'}",
            highlight=False,
            markup=False,
        )
    return OK


def _has(block: dict[str, Any], bot: str | None) -> bool:
    return bot is None or any(version["bot"] == bot for version in block["versions"])


def _line(block: dict[str, Any]) -> str:
    bots = " - ".join(f"{clean(one['bot'])} v{one['version']}" for one in block["versions"])
    if block["state"] == "running":
        when = f"ends in {block['ends_in']:.0f} s"
    elif block["starts_in"] is not None:
        when = f"starts in {block['starts_in']:.0f} s"
    else:
        when = clean(block["text"])
    return f"{block['block']:>15}  {block['state']:8} {clean(block['purpose']):13} {bots}  {when}"
