"""`damrak standings`: show the tables of a tournament."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rich.text import Text

from damrak.cli.console import out
from damrak.cli.errors import OK
from damrak.cli.ladders import add_site, clean
from damrak.cli.parser import Commands, add_command, add_json
from damrak.cli.tournament_site import site_of, table_of


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "standings",
        run,
        summary="show the tables of a tournament",
        text="""
            Shows the table of each stage that has begun: points, tie-breaks, and the criterion
            that put an entrant below the one above it. Hidden results do not count yet.""",
        examples=("damrak standings spring-cup", "damrak standings spring-cup --json"),
    )
    parser.add_argument("tournament", metavar="TOURNAMENT", help="its name in addresses")
    add_site(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.ladder.site import part

    found = site_of(args).get(f"tournaments/{part(args.tournament)}/standings")
    if args.json:
        print(json.dumps(found))
        return OK
    console = out()
    if not found["stages"]:
        console.print(Text(f"{clean(found['tournament'])} has not begun."))
    for stage in found["stages"]:
        if len(found["stages"]) > 1:
            title = stage["name"] or f"stage {stage['stage'] + 1}"
            console.print(Text(f"{clean(title)} ({clean(stage['format'])})", "bold"))
        console.print(_table(stage))
    return OK


def _table(stage: dict[str, Any]) -> Any:
    names = [one["name"] for one in stage["rows"][0]["tie_breaks"]] if stage["rows"] else []
    rows = [
        (
            row["place"],
            row["bot"],
            row["points"],
            *(_value(one) for one in row["tie_breaks"]),
            row["decided_by"],
        )
        for row in stage["rows"]
    ]
    return table_of(("place", "bot", "points", *names, "decided by"), rows)


def _value(tie_break: dict[str, Any]) -> str:
    return "skipped" if tie_break["skipped"] else tie_break["value"] or ""
