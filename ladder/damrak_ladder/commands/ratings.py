"""The command `damrak-ladder ratings`."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.usage_errors import Misuse

if TYPE_CHECKING:
    from damrak_ladder.matches.models import Ladder
    from damrak_ladder.standings.audit.comparison import Rebuilt
    from damrak_ladder.standings.audit.rebuild import Progressed
    from damrak_ladder.standings.read.table import Row

_EXAMPLES: Final = """
damrak-ladder ratings show amsterdam
damrak-ladder ratings show amsterdam --seats 2 --on 2026-11-01
damrak-ladder ratings export amsterdam --csv > amsterdam.csv
damrak-ladder ratings rebuild --check         are all published numbers those of the replays?
damrak-ladder ratings rebuild --ladder amsterdam --jobs 4
"""
_SHOWN: Final = 40


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    _, verbs = add_group(
        commands,
        "ratings",
        "show, export and verify ratings",
        "Ratings are one fit to all blocks of a ladder. docs/ratings.md explains them.",
        _EXAMPLES,
    )
    show = add_command(
        verbs,
        "show",
        "show the ranking of a ladder",
        "Prints the ranking, best first.",
        "damrak-ladder ratings show amsterdam --limit 10",
        _show,
    )
    _add_table(show)
    show.add_argument(
        "--limit", type=int, default=50, metavar="N", help="number of rows (default: 50)"
    )
    add_json(show)
    export = add_command(
        verbs,
        "export",
        "export a ranking for spreadsheets or programs",
        "Prints all columns of all rows, including earlier versions of bots.",
        """
        damrak-ladder ratings export amsterdam --csv > amsterdam.csv
        damrak-ladder ratings export amsterdam --json --on 2026-11-01
        """,
        _export,
    )
    _add_table(export)
    form = export.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="comma-separated values (default)")
    form.add_argument("--json", action="store_true", help="one JSON array")
    rebuild = add_command(
        verbs,
        "rebuild",
        "recompute all published numbers from the replays",
        "Fetches and verifies the replays of all recorded blocks, replays each from its seed, "
        "repeats the counts and the fit, and compares results, counts, ratings and the end of the "
        "rating history. Differences are corrected, unless replays are lost or damaged; then no "
        "changes are made. The platform can continue to run.\n\n"
        "The exit code is 0 if all numbers are identical or were corrected, else 1.",
        """
        damrak-ladder ratings rebuild --check           change nothing, only compare
        damrak-ladder ratings rebuild --ladder amsterdam --jobs 4
        """,
        _rebuild,
    )
    rebuild.add_argument("--ladder", metavar="SLUG", help="only this ladder (default: all)")
    rebuild.add_argument("--check", action="store_true", help="only compare")
    rebuild.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="number of parallel processes (default: 1)"
    )
    add_json(rebuild)


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ladder", help="name of the ladder in its URL")
    parser.add_argument(
        "--seats", type=int, choices=(2, 3, 4), help="only tables of this size (default: all)"
    )
    parser.add_argument("--on", metavar="DATE", help="ranking at the end of this day (UTC)")


def _show(args: argparse.Namespace) -> int:
    if args.limit < 1:
        raise Misuse(f"--limit: at least 1, not {args.limit}")
    rows = _table(args, everyone=False, limit=args.limit)
    if args.json:
        say_json([asdict(row) for row in rows])
        return 0
    say_table(
        [
            {
                "rank": row.rank,
                "band": row.band,
                "bot": f"{row.bot_slug} {row.number}",
                "kind": row.kind,
                "Elo": row.elo,
                "95 %": f"{row.low} … {row.high}",
                "ranks": f"{row.rank_low}-{row.rank_high}",
                "first": f"{row.first or 0:.0%}",
                "games": row.games,
                "week": "-" if row.week is None else f"{row.week:+d}",
            }
            for row in rows
        ],
        empty="Nobody is on the list yet: it begins with the first fit after the first block.",
    )
    return 0


def _export(args: argparse.Namespace) -> int:
    rows = [asdict(row) for row in _table(args, everyone=True, limit=None)]
    if args.json:
        say_json(rows)
        return 0
    from damrak_ladder.standings.read.table import Row

    writer = csv.DictWriter(sys.stdout, list(Row.__dataclass_fields__), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return 0


def _table(args: argparse.Namespace, *, everyone: bool, limit: int | None) -> list[Row]:
    on: date | None = None
    if args.on is not None:
        try:
            on = date.fromisoformat(args.on)
            _ = on + timedelta(days=1)  # the table is read at the end of the day
        except (ValueError, OverflowError):
            raise Misuse(f"--on: a day such as 2026-11-01, not {args.on!r}") from None
    [ladder] = _ladders(args.ladder)
    from damrak_ladder.standings.read.table import table

    return table(ladder, args.seats, on, everyone=everyone, limit=limit)


def _rebuild(args: argparse.Namespace) -> int:
    if args.jobs < 1:
        raise Misuse(f"--jobs: at least 1, not {args.jobs}")
    ladders = _ladders(args.ladder)
    from damrak_ladder.standings.audit.rebuild import rebuild

    found = []
    for ladder in ladders:
        with _bar(ladder.slug) as progressed:
            found.append(
                rebuild(
                    ladder,
                    datetime.now(UTC),
                    check=args.check,
                    jobs=args.jobs,
                    progressed=progressed,
                )
            )
    if args.json:
        say_json([asdict(one) | {"is_identical": one.is_identical} for one in found])
    else:
        for one in found:
            _report(one)
    return 0 if all(one.is_identical or one.is_repaired for one in found) else 1


def _report(one: Rebuilt) -> None:
    what = f"{one.blocks} blocks replayed, {one.numbers} numbers compared with fit {one.fit}"
    if one.is_identical:
        say(f"{one.ladder}: identical ({what})")
        return
    say(f"{one.ladder}: {len(one.differences) + len(one.unfounded)} differences ({what})")
    every = [*one.unfounded, *one.differences]
    for line in every[:_SHOWN]:
        say(f"  {line}")
    if len(every) > _SHOWN:
        say(f"  … and {len(every) - _SHOWN} more (all of them: --json)")
    if one.is_repaired:
        say("  All was made anew, and a fit published.")
    elif one.unfounded:
        say("  Nothing was changed, because there are blocks without good replays.")


@contextmanager
def _bar(slug: str) -> Iterator[Progressed]:
    """Yield a callback that shows a progress bar on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{slug}: replaying blocks", total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _ladders(slug: str | None) -> list[Ladder]:
    from damrak_ladder.management import load

    load()
    from damrak_ladder.matches.models import Ladder

    found = list(Ladder.objects.order_by("slug"))
    if slug is None:
        return found
    chosen = [ladder for ladder in found if ladder.slug == slug]
    if not chosen:
        known = ", ".join(ladder.slug for ladder in found) or "none yet"
        raise Misuse(f"no ladder {slug!r}; there are: {known}")
    return chosen
