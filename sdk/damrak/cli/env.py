"""`damrak env`: check the vector environment against the engine."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Final

from rich import progress
from rich.text import Text

from damrak.cli.arguments import positive
from damrak.cli.console import err, out
from damrak.cli.errors import FAILED, OK, Misuse
from damrak.cli.parser import Commands, Parser, add_command, add_json
from damrak.cores import cores

# numpy takes a while to import, and most commands do not need it.
if TYPE_CHECKING:
    from collections.abc import Iterator

    from damrak.env.vectorized.selftest import Report

STEPS: Final = 1_000_000
MOST_SHOWN: Final = 10  # differences


def add_parser(commands: Commands) -> None:
    """Add the command."""
    group = add_command(
        commands,
        "env",
        _no_verb,
        summary="check the native core of the learning environments",
        text="""
            Tools for damrak.env, the environments for reinforcement learning, whose native core
            must play exactly like the engine (pip install 'damrak[env]').""",
        examples=("damrak env selftest", "damrak env selftest --steps 100000000 --json"),
    )
    group.set_defaults(parser=group)
    verbs = group.add_subparsers(title="what to do", metavar="VERB", parser_class=Parser)
    parser = add_command(
        verbs,
        "selftest",
        run,
        summary="compare the native core with the engine, step by step",
        text="""
            Plays the native core of damrak.env.vector and the engine in lock-step, with the same
            chance and the same actions, on every board, with 2, 3 and 4 players, and with every
            pair of values of the rule options. After every step it compares all observations,
            masks, rewards and results, and how many random numbers the rules have used. The exit
            code is 1 if anything differs.""",
        examples=(
            "damrak env selftest",
            "damrak env selftest --steps 100000000 --jobs 2 --json",
            "damrak env selftest --seed 7",
        ),
    )
    parser.add_argument(
        "--steps",
        type=positive,
        default=STEPS,
        metavar="N",
        help=f"compare at least so many steps (default: {STEPS:,})",
    )
    parser.add_argument(
        "--jobs", type=positive, default=cores(), metavar="N", help="processes (default: all cores)"
    )
    parser.add_argument(
        "--seed", type=positive, default=1, metavar="N", help="of chance and actions (default: 1)"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the test."""
    try:
        from damrak.env.vectorized.native import NoCore, core
        from damrak.env.vectorized.selftest import configurations, run as compare
    except ModuleNotFoundError as missing:
        raise Misuse(f"this needs {missing.name}: pip install 'damrak[env]'") from None
    try:
        core()
    except NoCore as reason:
        raise Misuse(f"{reason}; make compile builds it") from None
    began = time.monotonic()
    steps, different = 0, list[str]()
    for report in _watched(compare(args.steps, args.jobs, args.seed), args.steps):
        steps += report.steps
        different += report.different
    seconds = time.monotonic() - began
    if args.json:
        found = {"steps": steps, "different": len(different), "differences": different}
        found |= {"configurations": len(configurations()), "seconds": round(seconds, 1)}
        print(json.dumps(found))
    else:
        for difference in different[:MOST_SHOWN]:
            out().print(Text(difference), soft_wrap=True)
        kinds = f"{len(configurations())} configurations"
        print(f"{steps:,} steps in {kinds}: {len(different)} different ({seconds:.0f} s)")
    return FAILED if different else OK


def _watched(reports: Iterator[Report], steps: int) -> Iterator[Report]:
    """Yield the reports, and show the progress on a terminal."""
    console = err()
    columns = (
        progress.BarColumn(bar_width=24),
        progress.MofNCompleteColumn(),
        progress.TextColumn("steps, left:"),
        progress.TimeRemainingColumn(),
    )
    shown = progress.Progress(*columns, console=console, disable=not console.is_terminal)
    with shown as bar:
        task = bar.add_task("steps", total=steps)
        for report in reports:
            bar.advance(task, report.steps)
            yield report


def _no_verb(args: argparse.Namespace) -> int:
    args.parser.print_help()
    return OK
