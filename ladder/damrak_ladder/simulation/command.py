"""The command `damrak-ladder simulate`."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from typing import Any, Final

from damrak_ladder.usage_errors import Misuse

PARTS: Final = ("matchmaking", "ratings", "mirror_variance", "fit", "coverage", "forecasts")
MOST: Final = 10_000_000  # bots or blocks: more than fits into memory

TEXT: Final = """
Simulates the matchmaking and the ratings of the ladder with synthetic bots of known strength, and
measures both: how soon the ranking is right, for this matchmaking and for simpler ones; how well
held-back games are predicted and how often 95 % intervals contain the true value, for these
ratings and for others on the same games; the effect of mirrored blocks (from a record of real
games); the cost of a fit; how many 95 % intervals contain the true Elo if the configured Elo of
anchors is wrong, with all anchors fixed and with their errors stated; and whether the displayed
probabilities of the leaders (of being first, and of winning a knockout) are right in worlds of 24
bots with fixed strengths and blocks (--bots, --blocks, --spread and --cycles do not apply to this
part). The same seed gives the same numbers. Rank correlations are means over many seasons with
different bots and random results. The line below their table shows the number of blocks after
which this ranking is at least as right as the final ranking of random pairing, and their share; a
second share is interpolated between the measuring points, and compared with the last third of
random pairing. docs/ratings.md explains the details.
"""
EXAMPLES: Final = """\
examples:
  damrak-ladder simulate
  damrak-ladder simulate --bots 1000 --blocks 200000 --json > simulation.json
  damrak-ladder simulate --only fit --bots 10000 --blocks 1000000
  damrak-ladder simulate --only matchmaking --bots 40 --blocks 500 --bots-per-owner 2 --batch 25
  damrak-ladder simulate --only coverage --anchor-error 30 --json
  damrak-ladder simulate --only forecasts --json
  damrak-ladder simulate --cycles 0.3     who beats whom is not only a matter of strength
"""


def add_parser(commands: Any) -> None:
    """Add the parser of the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "simulate",
        help="simulate matchmaking and ratings with bots of known strength",
        description=textwrap.fill(" ".join(TEXT.split()), 88),
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--bots", type=int, default=200, metavar="N", help="number of bots (default: 200)")
    add("--blocks", type=int, default=10_000, metavar="N", help="number of blocks (default: 10000)")
    add("--seed", type=int, default=1, metavar="S", help="random seed")
    add(
        "--spread",
        type=float,
        default=400.0,
        metavar="ELO",
        help="standard deviation of true strengths (default: 400)",
    )
    add(
        "--cycles",
        type=float,
        default=0.0,
        metavar="X",
        help="effect of playing styles relative to strength, in logits (default: 0)",
    )
    add(
        "--bots-per-owner",
        type=int,
        default=1,
        metavar="N",
        help="bots of one owner, which never share a table (default: 1)",
    )
    add(
        "--batch",
        type=int,
        metavar="N",
        help="tables booked per call, all on the same estimates (default: grows with the season)",
    )
    add("--no-anchors", action="store_true", help="a ladder without anchors")
    add(
        "--only",
        choices=PARTS,
        action="append",
        metavar="PART",
        help=f"only this part, may be repeated: {', '.join(PARTS)}",
    )
    add(
        "--seasons",
        type=int,
        metavar="N",
        help="seasons of the part coverage (default: 20 to 200, the shorter the more), and in "
        "each world of the part forecasts (default: 4000)",
    )
    add(
        "--anchor-error",
        type=float,
        action="append",
        metavar="ELO",
        help="part coverage: the standard deviation of the errors of anchors, which is also the "
        "stated one (0: exact anchors, 30 stated), may be repeated (default: 0, 30 and 60)",
    )
    add("--json", action="store_true", help="print one JSON object instead of text for people")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the simulation and print its results."""
    if not 4 <= args.bots <= MOST:
        raise Misuse(f"--bots: from 4 to {MOST:,}, not {args.bots}")
    if not 10 <= args.blocks <= MOST:
        raise Misuse(f"--blocks: from 10 to {MOST:,}, not {args.blocks}")
    if args.seed < 0:
        raise Misuse(f"--seed: not below 0, as {args.seed} is")
    if not 0 < args.spread <= 2000:
        raise Misuse(f"--spread: above 0 and at most 2000, not {args.spread:g}")
    if not 0 <= args.cycles <= 5:
        raise Misuse(f"--cycles: from 0 to 5, not {args.cycles:g}")
    if not 1 <= args.bots_per_owner <= args.bots // 4:
        raise Misuse(
            f"--bots-per-owner: from 1 to {args.bots // 4}, a quarter of the bots, "
            f"not {args.bots_per_owner}"
        )
    if args.batch is not None and not 1 <= args.batch <= args.blocks:
        raise Misuse(f"--batch: from 1 to {args.blocks}, which are all blocks, not {args.batch}")
    if args.seasons is not None and not 10 <= args.seasons <= MOST:
        raise Misuse(f"--seasons: from 10 to {MOST:,}, not {args.seasons}")
    if not all(0 <= error <= 1000 for error in args.anchor_error or ()):
        raise Misuse("--anchor-error: from 0 to 1000")
    if args.no_anchors and "coverage" in (args.only or ()):
        raise Misuse("--no-anchors: the part coverage is about anchors")
    # Imported late, because numpy and SciPy take longer to load than help takes to read.
    from damrak_ladder.simulation.coverage import ERRORS
    from damrak_ladder.simulation.open_skill import is_installed
    from damrak_ladder.simulation.report import as_text, simulate, teller
    from damrak_ladder.simulation.seasons import Setting

    parts = [part for part in PARTS if args.only is None or part in args.only]
    if args.no_anchors:
        parts = [part for part in parts if part != "coverage"]
    setting = Setting(
        args.bots,
        args.blocks,
        args.seed,
        args.spread,
        args.cycles,
        args.bots_per_owner,
        args.batch,
        not args.no_anchors,
    )
    errors = tuple(dict.fromkeys(args.anchor_error or ERRORS))
    found = simulate(setting, parts, teller(), args.seasons, errors)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    if "ratings" in parts and not is_installed():
        sys.stderr.write(
            "openskill is not installed: left out (cure: pip install 'damrak[simulate]')\n"
        )
    sys.stdout.write(json.dumps(found, indent=2) + "\n" if args.json else as_text(found))
    return 0
