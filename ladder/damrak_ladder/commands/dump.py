"""The command `damrak-ladder dump`."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from damrak_ladder.commands.output import say, say_json
from damrak_ladder.commands.parser import add_command, add_json
from damrak_ladder.usage_errors import Misuse


def add_parser(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "dump",
        "write all public data as Parquet and NDJSON",
        """
        Writes matches, replays and ratings by day, and bots, versions, boards and ladders as a
        whole, with checksums in index.json. Results of tournaments are included once they are
        released to everyone. Only days that have changed are written again. A run that was
        interrupted is continued by the next one. The platform can continue to run. The clerk
        does the same every night.
        """,
        """
        damrak-ladder dump
        damrak-ladder dump --day 2026-11-18
        damrak-ladder dump --to /srv/data --json
        """,
        _dump,
    )
    parser.add_argument("--day", type=_day, metavar="DAY", help="write only this day (UTC)")
    parser.add_argument(
        "--to", type=Path, metavar="FOLDER", help="default: DAMRAK_LADDER_DUMP_FOLDER"
    )
    add_json(parser)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day such as 2026-11-18") from None


def _dump(args: argparse.Namespace) -> int:
    from damrak_ladder.management import load

    load()
    from django.conf import settings

    from damrak_ladder.open_data.dump import dump
    from damrak_ladder.open_data.errors import DumpError

    folder: Path = (args.to or settings.DAMRAK_DUMP.folder).absolute()
    now = datetime.now(UTC)
    if args.day is not None and args.day > now.date():
        raise Misuse(f"--day: {args.day} has not begun (it is {now:%Y-%m-%d %H:%M} UTC)")
    try:
        done = dump(folder, now, _silent if args.json else say, args.day)
    except DumpError as problem:
        raise Misuse(str(problem)) from None
    except OSError as problem:
        raise Misuse(f"{folder}: {(problem.strerror or str(problem)).lower()}") from None
    files = done.index.files
    size, lost = sum(it.bytes for it in files), sum(it.lost for it in done.index.days)
    if args.json:
        say_json(
            {
                "folder": str(folder),
                "written": list(done.written),
                "removed": list(done.removed),
                "days": len(done.index.days),
                "bytes": size,
                "replays_lost": lost,
                "files": [asdict(file) for file in files],
            }
        )
        return 0
    days = f"days: {len(done.index.days)}, written now: {len(done.written)}"
    say(f"{folder}: {days}; files: {len(files)}, {size / 1e6:.1f} MB")
    if lost:
        say(f"Replays missing in the store: {lost}. See damrak-ladder doctor.")
    return 0


def _silent(_: str) -> None:
    """Ignore progress, because standard output is for programs."""
