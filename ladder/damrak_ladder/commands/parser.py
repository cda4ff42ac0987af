"""Commands that teach: every one says what it does and shows how it is used."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from typing import Any

Run = Callable[[argparse.Namespace], int]


def add_command(
    commands: Any, name: str, summary: str, text: str, examples: str, run: Run | None = None
) -> argparse.ArgumentParser:
    """A new command among those; without `run` it is a group that has commands of its own."""
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
    """A command that has commands of its own, and where to add those."""
    group = add_command(commands, name, summary, text, examples)

    def show_help(_: argparse.Namespace) -> int:
        group.print_help()
        return 0

    group.set_defaults(run=show_help)
    return group, group.add_subparsers(title="what to do", metavar="VERB", parser_class=type(group))


def add_json(parser: argparse.ArgumentParser) -> None:
    """Let it speak to machines."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text for people")


def _filled(text: str) -> str:
    paragraphs = textwrap.dedent(text).strip("\n").split("\n\n")
    return "\n\n".join(textwrap.fill(" ".join(part.split()), 88) for part in paragraphs)
