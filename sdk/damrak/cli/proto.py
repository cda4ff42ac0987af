"""`damrak proto`: copy the .proto files for a bot in another language."""

from __future__ import annotations

import argparse
import json
from importlib.resources import files
from pathlib import Path
from typing import Final

from rich.text import Text

from damrak.cli.console import out
from damrak.cli.errors import OK, Misuse
from damrak.cli.parser import Commands, add_command, add_json

PACKAGE: Final = "damrak_proto"
VERSION: Final = "v1"
NAMES: Final = ("game.proto", "table.proto", "lobby.proto")
"""The files that a bot needs; the others are for ladders and spectators."""


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "proto",
        run,
        summary="write the .proto files for a bot in another language",
        text="""
            Writes the .proto files that a bot needs to DIR/damrak_proto/v1/. Run the code generator
            of your language with DIR as its include folder. Existing copies are replaced, so run
            the command again after an update of damrak.""",
        examples=("damrak proto proto", "damrak proto /tmp/my_bot/proto --json"),
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder to write to")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Write the files."""
    target: Path = args.folder / PACKAGE / VERSION
    try:
        target.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise Misuse(f"{target}: exists and is not a folder") from None
    source = files(PACKAGE) / VERSION
    for name in NAMES:
        (target / name).write_bytes((source / name).read_bytes())
    if args.json:
        print(json.dumps({"folder": str(target), "files": list(NAMES)}))
    else:
        out().print(Text(f"{len(NAMES)} files written to {target}"), soft_wrap=True)
    return OK
