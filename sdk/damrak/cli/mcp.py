"""`damrak mcp`: a server for coding assistants."""

from __future__ import annotations

import argparse
from pathlib import Path

from damrak.cli.errors import OK, Misuse
from damrak.cli.ladders import add_site
from damrak.cli.parser import Commands, add_command


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "mcp",
        run,
        summary="serve a ladder to a coding assistant",
        text="""
            Runs a server of the Model Context Protocol on its standard input and output, through
            which a coding assistant lists matches, reads replays and logs, submits bots and
            previews acts in tournaments. It offers only what the token of the login permits;
            without a login, what is public. Bots are submitted from one folder only.
            Requires pip install 'damrak[mcp]'.""",
        examples=(
            "damrak mcp --to https://ladder.example.org",
            "damrak mcp --folder my-bots",
        ),
    )
    parser.add_argument(
        "--folder",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="the folder of bots that may be submitted (default: this one)",
    )
    add_site(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak.cli.tournament_site import site_of

    try:
        from damrak.assistant.server import server_of
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "mcp":
            raise
        raise Misuse("this needs another package: pip install 'damrak[mcp]'") from None
    if not args.folder.is_dir():
        raise Misuse(f"--folder {args.folder}: there is no such folder")
    server_of(site_of(args), args.folder).run("stdio")
    return OK
