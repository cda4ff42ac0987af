"""`damrak-referee sandbox …`: check the sandbox, check archives, and measure start-up times."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from damrak_archive.errors import ArchiveRefused
from damrak_referee.runner.client import Runner
from damrak_referee.runner.errors import RunnerError
from damrak_referee.runner.settings import RunnerSettings
from damrak_referee.runner.store import Store, StoredBot
from damrak_referee.usage_errors import Misuse

GOOD: Final = 0
REFUSED: Final = 1
MEANING: Final = {
    "full": "each in a sandbox with a user and limits of its own",
    "user": "each in a sandbox, all as one user of the machine",
    "none": "refused",
}


def run(arguments: Sequence[str], parser_class: Callable[..., argparse.ArgumentParser]) -> int:
    """Run a `sandbox` command; the exit code is 1 if bots or the archive are refused.

    Raises:
        Misuse: the command cannot be carried out; the message names what is wrong.
    """
    args = _build_parser(parser_class).parse_args(arguments)
    code: int = asyncio.run(args.run(args))
    return code


async def _check(args: argparse.Namespace) -> int:
    isolation, missing = "none", []
    try:
        async with _runner() as runner:
            isolation, missing = runner.isolation, list(runner.missing)
    except RunnerError as problem:
        missing = [str(problem)]
    lines = [f"isolation: {isolation}", f"uploaded bots: {MEANING[isolation]}"]
    lines += [f"missing: {line}" for line in missing]
    _print(args, {"isolation": isolation, "missing": missing}, lines)
    return REFUSED if isolation == "none" else GOOD


async def _archive(args: argparse.Namespace) -> int:
    path = Path(args.file)
    try:
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as problem:
        raise Misuse(f"{path}: {(problem.strerror or 'cannot be read').lower()}") from None
    async with _runner() as runner:
        try:
            await runner.install(sha256, path)
        except ArchiveRefused as refusal:
            said = {"file": str(path), "sha256": sha256, "refused": refusal.why}
            _print(args, said, [f"{path}: refused: {refusal.why}"])
            return REFUSED
        except RunnerError as problem:
            raise Misuse(f"{path}: {problem}") from None
        bot = Store(runner.settings, runner.folder.name, None).find(sha256)
        assert bot is not None
        said, line = _told(bot)
    _print(
        args, {"file": str(path), "sha256": sha256, "refused": None, **said}, [f"{path}: {line}"]
    )
    return GOOD


async def _time(args: argparse.Namespace) -> int:
    if not 1 <= args.starts <= 1000:
        raise Misuse(f"--starts: from 1 to 1000, not {args.starts}")
    from damrak_referee.command.startup_times import (  # the other commands need no gRPC
        measure,
        middle,
    )

    try:
        async with _runner() as runner:
            found = {k: middle(v) for k, v in (await measure(runner, args.starts)).items()}
    except (RunnerError, TimeoutError) as problem:
        raise Misuse(str(problem) or "the bot did not start") from None
    lines = [
        f"{kind + ':':9}ready after {one['ready_ms']:.0f} ms, at best {one['ready_ms_min']:.0f};"
        f" processor time {one['cpu_ms']:.0f} ms, at best {one['cpu_ms_min']:.0f}"
        for kind, one in found.items()
    ]
    _print(args, found, lines)
    return GOOD


def _told(bot: StoredBot) -> tuple[dict[str, Any], str]:
    """Describe the bot, for JSON output and for people."""
    files = sum(
        1 for path in bot.folder.rglob("*") if path.is_file() and path.parent.name != "__pycache__"
    )
    if bot.run is not None:
        what = f"a program, run as {' '.join(bot.run)}"
    else:
        what = "a Python bot" + (f", the class {bot.class_name}" if bot.class_name else "")
    said = {"run": bot.run, "class": bot.class_name, "files": files}
    return said, f"{what}, {files} file{'' if files == 1 else 's'}"


@asynccontextmanager
async def _runner() -> AsyncIterator[Runner]:
    """Start a temporary runner that leaves nothing behind."""
    # Socket paths must be short, which TMPDIR may not be.
    with tempfile.TemporaryDirectory(prefix="damrak", dir="/tmp") as folder:
        runner = await Runner.start(RunnerSettings(Path(folder) / "run", Path(folder) / "store"))
        try:
            yield runner
        finally:
            await runner.close()


def _print(args: argparse.Namespace, said: dict[str, Any], lines: list[str]) -> None:
    sys.stdout.write(json.dumps(said) + "\n" if args.json else "\n".join(lines) + "\n")


def _build_parser(parser_class: Callable[..., argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = parser_class(
        prog="damrak-referee sandbox",
        description="Checks the sandbox of uploaded bots on this machine.",
        epilog="examples:\n"
        "  damrak-referee sandbox check              exit code 1 if uploaded bots are refused\n"
        "  damrak-referee sandbox archive my-bot.zip\n"
        "  damrak-referee sandbox time --starts 20",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print a JSON object instead of text")
    check = commands.add_parser(
        "check",
        parents=[shared],
        help="create a sandbox, try to break out of it, and report the results",
    )
    check.set_defaults(run=_check)
    archive = commands.add_parser(
        "archive",
        parents=[shared],
        help="check whether an archive is accepted, and as which kind of bot",
    )
    archive.add_argument("file", metavar="FILE")
    archive.set_defaults(run=_archive)
    timed = commands.add_parser(
        "time",
        parents=[shared],
        help="measure the start-up time of a bot in a sandbox and as a plain process",
    )
    timed.add_argument(
        "--starts",
        metavar="N",
        type=int,
        default=10,
        help="number of starts of each kind (default: 10)",
    )
    timed.set_defaults(run=_time)
    return parser
