"""The command `damrak-ladder`, for operators of a ladder.

There is one module per command; each has `add_parser(commands)` and a function that runs it and
returns the exit code. Errors of the user are reported in one line with exit code 2, without a
traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final, NoReturn

from damrak_engine.build import version_line
from damrak_ladder.commands import (
    analyst,
    anchors,
    backup,
    bench,
    blocks,
    boards,
    doctor,
    dump,
    hosts,
    ladders,
    manage,
    migrate,
    populate,
    processes,
    ratings,
    relay,
    security,
    site,
    tournaments,
    up,
    users,
)
from damrak_ladder.simulation import command as simulate
from damrak_ladder.usage_errors import Misuse

OK: Final = 0
MISUSED: Final = 2
BROKEN_PIPE: Final = 141
FULL: Final = (errno.ENOSPC, errno.EDQUOT)

COMMANDS: Final = (
    up,
    site,
    processes,
    analyst,
    migrate,
    users,
    ladders,
    anchors,
    boards,
    blocks,
    hosts,
    security,
    doctor,
    backup,
    dump,
    ratings,
    relay,
    tournaments,
    simulate,
    populate,
    bench,
    manage,
)


class _Parser(argparse.ArgumentParser):
    """A parser that raises `Misuse` instead of exiting, and suggests similar names."""

    def parse_known_args(  # type: ignore[override]  # one of its overloads is enough
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        # Reported here, because the parent parser would refer to its own, less specific help.
        if unknown:
            hint = _near(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError:
            if not (hint := _near(str(value), action.choices or ())):
                raise
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}{hint}") from None

    def error(self, message: str) -> NoReturn:
        raise Misuse(f"{message} (see: {self.prog} --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller has closed it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for good
    try:
        parser = build_parser()
        args = parser.parse_args(arguments)
        if "run" not in args:
            parser.print_help()
            return OK
        code: int = args.run(args)
        sys.stdout.flush()
    except Misuse as problem:
        return _complain(str(problem))
    except ImportError as problem:
        if "damrak" in str(problem):
            return _complain(f"{problem}: is the engine compiled from other sources? make compile")
        if not isinstance(problem, ModuleNotFoundError):
            raise
        return _complain(f"{problem.name} is not installed here: pip install 'damrak[ladder]'")
    except BrokenPipeError:
        _stop_printing()
        return BROKEN_PIPE
    except OSError as problem:
        if problem.errno not in FULL:
            raise
        _stop_printing()
        return _complain(str(problem.strerror).lower())
    except Exception as problem:
        # Compared by name, so that commands without Django or the stores need not load them.
        kind = type(problem)
        if (kind.__module__, kind.__name__) == ("damrak_ladder.stores.errors", "StoreUnreachable"):
            return _complain(f"{problem}; nothing is lost, try again when it is back")
        if kind.__module__ != "django.db.utils":
            raise
        return _complain(f"the database: {problem} (see: damrak-ladder doctor)")
    return code


def _stop_printing() -> None:
    """Discard buffered output, which would fail again when Python flushes at exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(
        prog="damrak-ladder",
        description="Runs a ladder of bots, and shows what its numbers are worth.",
        epilog="`damrak-ladder COMMAND --help` explains a command and shows examples.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=version_line())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def _near(text: str, known: Iterable[object]) -> str:
    near = difflib.get_close_matches(text, [str(it) for it in known], n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _complain(message: str) -> int:
    line = " ".join(message.split())
    sys.stderr.write(f"damrak-ladder: {line}\n")
    return MISUSED
