"""The shape of every command: a paragraph of help, examples, and one line when misused."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from damrak.cli.errors import Misuse

FAULTS: Final = "damrak-faults"
"""The folder for repro bundles, made where one stands when a bot fails."""

Run = Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """An argument parser that leaves the complaining to `main`."""

    def error(self, message: str) -> NoReturn:
        """Raise `Misuse`, naming the help to look at."""
        raise Misuse(f"{message} (see: {self.prog} --help)")


# Written so that both the type checker and Python accept it: argparse keeps the class private.
Commands = Any
"""What `add_parser` of every command module is given: the subparsers to add itself to."""


def add_command(
    commands: Commands, name: str, run: Run, *, summary: str, text: str, examples: Sequence[str]
) -> Parser:
    """A new command: `summary` for the list, a paragraph and examples for its own help."""
    parser: Parser = commands.add_parser(
        name,
        help=summary,
        description=textwrap.fill(" ".join(text.split()), 88),
        epilog="\n".join(["examples:", *(f"  {example}" for example in examples)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=run)
    return parser


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option that all reporting commands have."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of text for people"
    )
