"""`damrak-referee sandbox check`: what uploaded bots would run in, without running a referee."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from damrak_referee.runner.client import Runner
from damrak_referee.runner.errors import RunnerError
from damrak_referee.runner.settings import RunnerSettings

GOOD: Final = 0
REFUSED: Final = 1
MEANING: Final = {
    "full": "each in a sandbox with a user and limits of its own",
    "user": "each in a sandbox, all as one user of the machine",
    "none": "refused",
}


def run(arguments: Sequence[str], parser_class: Callable[..., argparse.ArgumentParser]) -> int:
    """Do what the command line after `sandbox` says; the exit code is 1 if bots are refused."""
    args = _build_parser(parser_class).parse_args(arguments)
    isolation, missing = asyncio.run(_look())
    if args.json:
        sys.stdout.write(json.dumps({"isolation": isolation, "missing": missing}) + "\n")
    else:
        sys.stdout.write(f"isolation: {isolation}\nuploaded bots: {MEANING[isolation]}\n")
        for line in missing:
            sys.stdout.write(f"missing: {line}\n")
    return REFUSED if isolation == "none" else GOOD


async def _look() -> tuple[str, list[str]]:
    # Sockets have short paths, which TMPDIR may not have.
    with tempfile.TemporaryDirectory(prefix="damrak", dir="/tmp") as folder:
        settings = RunnerSettings(Path(folder) / "run", Path(folder) / "store")
        try:
            runner = await Runner.start(settings)
        except RunnerError as problem:
            return "none", [str(problem)]
        try:
            return runner.isolation, list(runner.missing)
        finally:
            await runner.close()


def _build_parser(parser_class: Callable[..., argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = parser_class(
        prog="damrak-referee sandbox",
        description="What uploaded bots run in on this machine.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    check = commands.add_parser(
        "check", help="build a sandbox, try to break out of it, and say how it went"
    )
    check.add_argument("--json", action="store_true", help="as one JSON object")
    return parser
