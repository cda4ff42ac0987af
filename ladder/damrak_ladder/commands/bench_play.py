"""The command `damrak-ladder bench play`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

from damrak_ladder.commands.output import say, say_json
from damrak_ladder.commands.parser import add_command, add_json
from damrak_ladder.usage_errors import Misuse


def add_play(verbs: Any, run: Callable[[argparse.Namespace], int]) -> None:
    """Add the command to the parser of benchmarks."""
    play = add_command(
        verbs,
        "play",
        "measure how soon people see the answer of a bot",
        """
        Runs the complete platform and lets many people play against `greedy` at once, as their
        browsers would. Measures the time from an answer of a person to the next question with
        the move of the bot.
        """,
        """
        damrak-ladder bench play
        damrak-ladder bench play --people 20 --think 1 --postgresql --json
        """,
        run,
    )
    play.add_argument(
        "--people", type=int, default=50, metavar="N", help="people at once (default: 50)"
    )
    play.add_argument(
        "--seconds", type=float, default=60.0, metavar="S", help="duration (default: 60)"
    )
    play.add_argument(
        "--think",
        type=float,
        default=4.0,
        metavar="S",
        help="average time in which a person decides (default: 4)",
    )
    play.add_argument(
        "--postgresql",
        action="store_true",
        help="use a temporary PostgreSQL server instead of SQLite",
    )
    add_json(play)


def report_play(args: argparse.Namespace, database: str | None, tell: Callable[[str], None]) -> int:
    """Measure, and print the figures.

    Raises:
        Misuse: an option is out of range.
    """
    from damrak_ladder.benchmark.people import TARGET_MS, measure

    if not 1 <= args.people <= 60 or not args.seconds > 0 or not args.think > 0:
        raise Misuse("--people: from 1 to 60; --seconds and --think: above 0")
    found = measure(args.people, args.seconds, args.think, database, tell)
    if args.json:
        say_json(found.as_json())
        return 0
    say(
        f"{found.people} people, {len(found.answers)} answers of the bot in "
        f"{found.seconds:.0f} s: median {found.share(0.5):.0f} ms, "
        f"95 % within {found.share(0.95):.0f} ms (target: {TARGET_MS:.0f} ms)."
    )
    costs = ", ".join(f"{part} {ms:.1f}" for part, ms in found.costs().items())
    say(f"Processor time for each answer in ms: {costs}.")
    for failure in sorted(set(found.failures)):
        say(f"failed: {failure}")
    say(f"Load of the machine: {found.load:.1f} on {os.cpu_count()} processors.")
    return 0
