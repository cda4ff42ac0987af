"""The command `damrak-ladder anchors`."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.usage_errors import Misuse

if TYPE_CHECKING:
    from damrak_ladder.matches.models import Ladder

_GAMES: Final = 400
_MOST_GAMES: Final = 1_000_000
_EXAMPLES: Final = """
damrak-ladder anchors show amsterdam
damrak-ladder anchors measure amsterdam --games 1000
damrak-ladder anchors measure daily --bots planner greedy random --json
"""


def add_parser(commands: Any) -> None:
    """Add the parsers of the commands."""
    _, verbs = add_group(
        commands,
        "anchors",
        "measure and check the anchors of a ladder",
        "Anchors are house bots whose Elo is configured. One is fixed and defines the scale; the "
        "others have a standard deviation. docs/ratings.md explains the model.",
        _EXAMPLES,
    )
    show = add_command(
        verbs,
        "show",
        "compare the configured Elo with the games",
        "Prints each anchor with its configured Elo and with the estimate from the games "
        "alone when ratings were last published.",
        "damrak-ladder anchors show amsterdam --json",
        _show,
    )
    show.add_argument("slug", help="name of the ladder in its URL")
    add_json(show)
    measure = add_command(
        verbs,
        "measure",
        "play anchors against each other and print their Elo",
        "Plays house bots against each other with the boards, rules and time control of the "
        "ladder, in all combinations at its table sizes. Prints Elo and standard deviations "
        "in the form that `ladders change` takes. The ladder is not changed. The standard "
        "deviation covers chance and differences between table sizes; it decreases with more "
        "games.",
        "\n".join(line for line in _EXAMPLES.splitlines() if "measure" in line),
        _measure,
    )
    add = measure.add_argument
    add("slug", help="name of the ladder in its URL")
    add(
        "--bots",
        nargs="+",
        metavar="BOT",
        help="house bots, the fixed one first (default: the anchors of the ladder)",
    )
    add("--elo", type=float, metavar="ELO", help="Elo of the fixed bot (default: as configured)")
    add(
        "--games",
        type=int,
        default=_GAMES,
        metavar="N",
        help=f"games per combination of bots (default: {_GAMES})",
    )
    add("--seed", default="anchors", help="a word; the same seed gives the same games")
    add("--jobs", type=int, metavar="J", help="number of parallel games (default: one per core)")
    add_json(measure)


def _show(args: argparse.Namespace) -> int:
    ladder = _find(args.slug)
    from damrak_ladder.standings.fit.anchor_checks import latest_checks

    rows = []
    checks = latest_checks(ladder)
    for spec, elo in sorted(ladder.anchors.items(), key=lambda item: -item[1]):
        error, check = ladder.anchor_errors.get(spec), checks.get(spec)
        off = None if check is None else check.difference
        rows.append(
            {
                "bot": spec,
                "elo": elo,
                "sd": error,
                "games_elo": None if check is None else check.found,
                "games_sd": None if check is None else check.found_error,
                "difference_sd": None if off is None else round(off, 1),
                "verdict": "fixed" if error is None else str(check.verdict) if check else "none",
            }
        )
    if args.json:
        say_json(rows)
    else:
        say_table(rows, "The ladder has no anchors.")
    return 0


def _measure(args: argparse.Namespace) -> int:
    if not 4 <= args.games <= _MOST_GAMES:
        raise Misuse(f"--games: from 4 to {_MOST_GAMES:,}, not {args.games}")
    if args.jobs is not None and args.jobs < 1:
        raise Misuse(f"--jobs: from 1 on, not {args.jobs}")
    ladder = _find(args.slug)
    from damrak_ladder.standings.fit.anchor_gaps import Gaps, NotPlayed, measure

    bots = _bots(ladder, args.bots)
    elo = ladder.anchors.get(bots[0], 1500.0) if args.elo is None else args.elo
    gaps = Gaps(ladder, bots, elo, args.games, args.seed, args.jobs)
    if not gaps.tables:
        raise Misuse(f"{args.slug}: the ladder has no table size for {len(bots)} bots")

    def progress(done: int, of: int, table: str) -> None:
        if table:
            sys.stderr.write(f"{done + 1} of {of}: {table}\n")
            sys.stderr.flush()

    try:
        found = measure(gaps, progress)
    except NotPlayed as problem:
        raise Misuse(str(problem)) from None
    options = " ".join(shlex.quote(one.option) for one in found)
    command = f"damrak-ladder ladders change {ladder.slug} --anchors {options}"
    if args.json:
        rows = [asdict(one) for one in found]
        say_json({"ladder": ladder.slug, "anchors": rows, "command": command})
        return 0
    rows = [
        {
            "bot": one.bot,
            "elo": one.elo,
            "sd": one.sd or "fixed",
            "games": one.games,
            **{f"{seats} seats": elo for seats, elo in one.by_size.items()},
        }
        for one in found
    ]
    say_table(rows, "")
    say()
    say(command)
    return 0


def _bots(ladder: Ladder, given: list[str] | None) -> tuple[str, ...]:
    from damrak_ladder.bots.house import check_spec

    fixed = [spec for spec in ladder.anchors if spec not in ladder.anchor_errors]
    bots = tuple(given or (*fixed, *(spec for spec in ladder.anchors if spec not in fixed)))
    for spec in bots:
        try:
            check_spec(spec)
        except ValueError as problem:
            raise Misuse(f"--bots: {problem}") from None
    if len(set(bots)) < len(bots):
        raise Misuse("--bots: a bot is given twice")
    if len(bots) < 2:
        raise Misuse(
            f"{ladder.slug} has fewer than two anchors: give house bots with --bots, "
            "the fixed one first"
        )
    return bots


def _find(slug: str) -> Ladder:
    from damrak_ladder.management import load

    load()
    from damrak_ladder.matches.models import Ladder

    ladder = Ladder.objects.filter(slug=slug).first()
    if ladder is None:
        raise Misuse(f"there is no ladder {slug!r}; see: damrak-ladder ladders list")
    return ladder
