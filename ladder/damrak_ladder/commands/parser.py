"""Helpers to define commands with descriptions and examples."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from typing import Any

Run = Callable[[argparse.Namespace], int]


def add_command(
    commands: Any, name: str, summary: str, text: str, examples: str, run: Run | None = None
) -> argparse.ArgumentParser:
    """Add a command; without `run` it is a group with commands of its own."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=_filled(text),
        epilog="examples:\n" + textwrap.indent(textwrap.dedent(examples).strip("\n"), "  "),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if run is not None:
        parser.set_defaults(run=run)
    return parser


def add_group(
    commands: Any, name: str, summary: str, text: str, examples: str
) -> tuple[argparse.ArgumentParser, Any]:
    """Add a command with subcommands; return it and the parser to add them to."""
    group = add_command(commands, name, summary, text, examples)

    def show_help(_: argparse.Namespace) -> int:
        group.print_help()
        return 0

    group.set_defaults(run=show_help)
    return group, group.add_subparsers(
        title="commands", metavar="COMMAND", parser_class=type(group)
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option `--json` for machine-readable output."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text for people")


def _filled(text: str) -> str:
    paragraphs = textwrap.dedent(text).strip("\n").split("\n\n")
    return "\n\n".join(textwrap.fill(" ".join(part.split()), 88) for part in paragraphs)
