"""`damrak new`: create a folder with a bot that already plays."""

from __future__ import annotations

import argparse
import json
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Final

from rich.text import Text

from damrak.cli.console import out
from damrak.cli.errors import OK, Misuse
from damrak.cli.parser import Commands, add_command, add_json

FILES: Final = ("bot.py", "test_bot.py", "README.md")


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "new",
        run,
        summary="start a bot of your own",
        text="""
            Makes a folder with a bot that already plays and beats `random`, a test for it and a
            README that says what to do next. Nothing that is there already is overwritten.""",
        examples=("damrak new my_bot", "damrak play my_bot random", "damrak check my_bot"),
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder to make")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    folder: Path = args.folder
    if folder.exists() and not folder.is_dir():
        raise Misuse(f"{folder}: is there already, and no folder")
    for name in FILES:
        if (folder / name).exists():
            raise Misuse(f"{folder / name}: is there already, and is not overwritten")
    folder.mkdir(parents=True, exist_ok=True)
    template = files("damrak.cli") / "template"
    for name in FILES:
        text = (template / name).read_text("utf-8")
        (folder / name).write_text(text.replace("NAME", folder.resolve().name), "utf-8")
    if args.json:
        print(json.dumps({"folder": str(folder), "files": list(FILES)}))
        return OK
    console = out()
    console.print(Text(f"{folder} holds a bot that plays. Try:"))
    name = shlex.quote(str(folder))
    for line in (f"damrak play {name} random", f"damrak check {name}"):
        console.print(Text(f"  {line}", "bold"), soft_wrap=True)
    return OK
