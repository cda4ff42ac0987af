"""The common form of commands: a paragraph of help, examples, and one-line errors."""

from __future__ import annotations

import argparse
import difflib
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from damrak.cli.errors import Misuse

FAULTS: Final = "damrak-faults"
"""The folder for repro bundles, created in the current or the given folder if a bot fails."""

Run = Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are printed by `main`."""

    takes_command = False
    """Whether everything after a lone `--` is a command to run, stored in `trailing`."""

    # argparse itself assigns arguments after `--` to positionals that are still missing.
    def parse_known_args(  # type: ignore[override]  # one of its overloads is enough
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the arguments, with the command to run kept apart."""
        given = list(sys.argv[1:] if args is None else args)
        end = len(given)
        if self.takes_command and "--" in given:
            end = given.index("--")
        found, unknown = super().parse_known_args(given[:end], namespace)
        if self.takes_command:
            found.trailing = given[end + 1 :]
        if unknown:  # handled here: the parent parser would refer to its own, less specific help
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._near(unknown[0])}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError:
            near = difflib.get_close_matches(
                str(value), [str(it) for it in action.choices or ()], n=1
            )
            if not near:
                raise
            message = f"invalid choice: {value!r}; did you mean {near[0]}?"
            raise argparse.ArgumentError(action, message) from None

    def _near(self, text: str) -> str:
        known = list(self._option_string_actions)
        near = difflib.get_close_matches(text.partition("=")[0], known, n=1)
        return f"; did you mean {near[0]}?" if near else ""

    def error(self, message: str) -> NoReturn:
        """Raise `Misuse`, naming the help to read."""
        raise Misuse(f"{message} (see: {self.prog} --help)")


# The type argparse uses is private.
Commands = Any
"""The subparsers that `add_parser` of every command module adds itself to."""


def add_command(
    commands: Commands, name: str, run: Run, *, summary: str, text: str, examples: Sequence[str]
) -> Parser:
    """Add and return a command: `summary` is for the list, `text` and `examples` for its help."""
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
    """Add the option --json, which all reporting commands have."""
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of text")
