"""`damrak bots`: list the house bots."""

from __future__ import annotations

import argparse
import inspect
import json

from rich.table import Table
from rich.text import Text

from damrak.bots import HOUSE_BOTS, parameters
from damrak.cli.console import out
from damrak.cli.errors import OK
from damrak.cli.parser import Commands, add_command, add_json


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "bots",
        run,
        summary="list the house bots",
        text="""
            Lists the house bots, weakest first, with the parameters that can be given after a
            colon. Wherever a command expects a bot, you can give one of these names, a Python file,
            or a folder with a bot.py.""",
        examples=("damrak bots", "damrak play mcts:ms=50 my_bot/", "damrak bots --json"),
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    rows = [
        {
            "name": name,
            "about": (inspect.getdoc(bot) or "").partition("\n")[0],
            "parameters": parameters(bot),
        }
        for name, bot in HOUSE_BOTS.items()
    ]
    if args.json:
        print(json.dumps({"bots": rows}))
        return OK
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("bot", "about", "parameters"):
        table.add_column(heading)
    for name, bot in HOUSE_BOTS.items():
        given = ",".join(f"{key}={value:g}" for key, value in parameters(bot).items())
        about = (inspect.getdoc(bot) or "").partition("\n")[0]
        table.add_row(Text(name, "bold"), Text(about), Text(f"{name}:{given}" if given else "-"))
    out().print(table)
    return OK
