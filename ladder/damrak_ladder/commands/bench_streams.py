"""The command `damrak-ladder bench streams`."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from typing import Any

from damrak_ladder.commands.bench_databases import ended_in_order, migrated, small_database, tell
from damrak_ladder.commands.output import say, say_json
from damrak_ladder.commands.parser import add_command, add_json
from damrak_ladder.usage_errors import Misuse


def add_streams(verbs: Any) -> None:
    """Add the command to those of `damrak-ladder bench`."""
    streams = add_command(
        verbs,
        "streams",
        "memory and processor time of open streams",
        """
        Opens streams of all events at one process of the site, and measures what they cost while
        nothing happens, and how soon each of them receives an event.
        """,
        """
        damrak-ladder bench streams
        damrak-ladder bench streams --streams 200 --seconds 10 --json
        """,
        run_streams,
    )
    streams.add_argument(
        "--streams", type=int, default=1000, metavar="N", help="number of streams (default: 1000)"
    )
    streams.add_argument(
        "--seconds",
        type=float,
        default=60.0,
        metavar="S",
        help="duration of each measurement (default: 60)",
    )
    streams.add_argument(
        "--postgresql",
        action="store_true",
        help="use a temporary PostgreSQL server instead of SQLite",
    )
    add_json(streams)


def run_streams(args: argparse.Namespace) -> int:
    """Benchmark open streams."""
    if not 1 <= args.streams <= 1000:  # all are opened from one address within its rate limit
        raise Misuse(f"--streams: from 1 to 1000, not {args.streams}")
    if not 1 <= args.seconds <= 86_400:
        raise Misuse(f"--seconds: from 1 to 86400, not {args.seconds:g}")
    with ended_in_order(), small_database(args.postgresql) as database, migrated(database):
        from damrak_ladder.benchmark.streams import measure

        found = measure(args.streams, args.seconds, tell)
    load = os.getloadavg()[0]
    if args.json:
        say_json({"load": round(load, 2), **asdict(found)})
        return 0
    say(f"{found.streams} idle streams: {found.memory_mib:.1f} MiB and {found.cpu:.1%} of a core")
    say(f"(without streams: {found.memory_before_mib:.1f} MiB and {found.cpu_before:.1%}).")
    median, most = found.delay_median_s, found.delay_most_s
    say(f"Delay of events: {median:.2f} s (median), {most:.2f} s (maximum).")
    say(f"Load of the machine afterwards: {load:.1f} on {os.cpu_count()} processors.")
    return 0
