"""The command line: its commands, and the conversion of exceptions to messages and exit codes."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from damrak.cli.console import harmless
from damrak.cli.errors import BROKEN_PIPE, INTERRUPTED, MISUSED, OK, Misuse
from damrak.cli.parser import Parser
from damrak.errors import DamrakError, LadderError
from damrak_engine.errors import EngineError

COMMANDS: Final = (
    "new",
    "play",
    "check",
    "connect",
    "serve",
    "login",
    "logout",
    "whoami",
    "submit",
    "versions",
    "live",
    "canary",
    "trial",
    "tournaments",
    "standings",
    "results",
    "matches",
    "download",
    "watch",
    "mcp",
    "data",
    "ratings",
    "queue",
    "show",
    "verify",
    "repro",
    "bots",
    "board",
    "bench",
    "env",
    "train",
    "conform",
    "proto",
    "completion",
)
"""The commands, each of which is a module of this package."""

EPILOG = """examples:
  damrak new my_bot
  damrak play my_bot random --games 1000
  damrak check my_bot

`damrak COMMAND --help` explains a command and shows examples of it."""


def run(parser: Parser, arguments: Sequence[str]) -> int:
    """Run the command line and return the exit code of the process."""
    _prepare_streams()
    try:
        try:
            return _run(parser, arguments)
        finally:  # even after --help, which exits by an exception
            sys.stdout.flush()
    except Misuse as problem:
        return _complain(str(problem))
    except LadderError as problem:
        from damrak.ladder.cures import advice

        return _complain(advice(problem))
    except (DamrakError, EngineError) as problem:
        return _complain(str(problem))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _stop_printing()
        return BROKEN_PIPE
    except OSError as problem:
        try:
            sys.stdout.flush()
        except OSError:  # such as a full disk, which may be the original problem
            _stop_printing()
        return _complain(_in_words(problem))


def _run(parser: Parser, arguments: Sequence[str]) -> int:
    args = parser.parse_args(arguments)
    if "run" not in args:
        parser.print_help()
        return OK
    code: int = args.run(args)
    return code


def _prepare_streams() -> None:
    """Replace closed standard streams by the null device, and escape unprintable characters.

    These are characters missing in a stream's encoding, and undecodable bytes in file names.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - never closed
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stop_printing() -> None:
    """Discard buffered output: it would fail again when Python flushes at exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def build_parser(arguments: Sequence[str] = ()) -> Parser:
    """Return the parser, reduced to the subcommand in the arguments so that it loads faster."""
    only = arguments[0] if arguments and arguments[0] in COMMANDS else None
    parser = Parser(
        prog="damrak",
        description="Write, test and submit bots for the Amsterdam cart game.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if only is None:
        from damrak_engine.build import version_line

        parser.add_argument("--version", action="version", version=version_line())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    for name in COMMANDS if only is None else (only,):
        import_module(f"damrak.cli.{name}").add_parser(commands)
    return parser


def _complain(message: str) -> int:
    line = harmless(" ".join(message.split()))
    print(f"damrak: {line}", file=sys.stderr)
    return MISUSED


def _in_words(problem: OSError) -> str:
    reason = problem.strerror or type(problem).__name__
    return f"{problem.filename}: {reason.lower()}" if problem.filename else reason.lower()
