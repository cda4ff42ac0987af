"""`damrak train reference`: train a reference player by self-play and search."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.text import Text

from damrak.atomic import write_atomically
from damrak.cli import new
from damrak.cli.arguments import positive
from damrak.cli.console import err, out
from damrak.cli.errors import OK, Misuse
from damrak.cli.parser import Commands, Parser, add_command, add_json
from damrak.cores import cores

if TYPE_CHECKING:
    from damrak.train.measurement import Strength
    from damrak.train.reference import Run, Step

LOG: Final = "run.json"
OPPONENTS: Final = ("greedy", "planner")


def add_parser(verbs: Commands) -> None:
    """Add the verb."""
    parser = add_command(
        verbs,
        "reference",
        run,
        summary="train a network by self-play and search, for hours",
        text="""
            Trains a network with a policy and a value. It begins by imitating the house bot
            planner. For three fifths of the time the policy plays against itself; after that it
            learns from a search that looks ahead with the network. After each step, a sequential
            test on mirrored blocks decides whether the new network replaces the champion. The
            folder contains the champion as a bot (policy.npz), a table of all steps with their Elo
            (steps.csv), and everything that is needed to continue: the same command continues an
            interrupted run, and a greater --hours lengthens it. Equal seeds give equal steps on
            the same machine. The process uses one core if OMP_NUM_THREADS is 1.""",
        examples=(
            "damrak train reference --hours 2 --seed 1",
            "damrak train reference --hours 8 --folder runs/second --players 3",
        ),
    )
    _add_length(parser)
    _add_sizes(parser)
    add_json(parser)


def _add_length(parser: Parser) -> None:
    parser.add_argument(
        "--hours",
        type=_hours,
        default=1.0,
        metavar="H",
        help="length of the run: no step begins later (default: 1)",
    )
    parser.add_argument("--seed", type=positive, default=1, metavar="N", help="default: 1")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("reference"),
        metavar="DIR",
        help="a new folder, or one with a run to continue (default: reference)",
    )


def _add_sizes(parser: Parser) -> None:
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=2, help="default: 2")
    parser.add_argument(
        "--hidden",
        type=positive,
        nargs="+",
        default=[512, 256],
        metavar="N",
        help="units of each hidden layer (default: 512 256)",
    )
    parser.add_argument(
        "--imitate",
        type=_number,
        metavar="N",
        help="decisions of planner to begin with (default: 300000, fewer in a short run)",
    )
    parser.add_argument(
        "--decisions",
        type=positive,
        metavar="N",
        help="of a step of self-play (default: 1000000, fewer in a short run)",
    )
    parser.add_argument(
        "--games",
        type=positive,
        metavar="N",
        help="of a step with search (default: 200, fewer in a short run)",
    )
    parser.add_argument(
        "--blocks",
        type=positive,
        default=100,
        metavar="N",
        help="mirrored blocks against each house bot for the Elo at the end (default: 100)",
    )


def _hours(text: str) -> float:
    value = float(text)
    if not 0 < value <= 10_000:
        raise ValueError
    return value


def _number(text: str) -> int:
    return 0 if text == "0" else positive(text)


_number.__name__ = positive.__name__
_hours.__name__ = "number of hours"  # argparse names it in its errors


def run(args: argparse.Namespace) -> int:
    """Begin or continue a run, and measure its champion."""
    try:
        from damrak.train.measurement import strengths
        from damrak.train.reference import OtherSettings, Run, kept_settings, settings_for
    except ModuleNotFoundError as missing:
        raise Misuse(f"this needs {missing.name}: pip install 'damrak[train]'") from None
    folder: Path = args.folder
    is_new = not (folder / LOG).is_file()
    if is_new and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Misuse(f"{folder}: contains no run; choose a new folder, or remove it first")
    usual = settings_for(args.hours) if is_new else kept_settings(folder)
    sizes = {"imitated": args.imitate, "decisions": args.decisions, "games": args.games}
    settings = replace(
        usual,
        players=args.players,
        seed=args.seed,
        hidden=tuple(args.hidden),
        **{name: size for name, size in sizes.items() if size is not None},
    )
    try:
        found = Run(folder, settings)
    except OtherSettings as problem:
        raise Misuse(str(problem)) from None
    if is_new:
        new.create("numpy", folder)
        (folder / "policy.npz").unlink()
    found.keep()
    _proceed(found, args.hours * 3600)
    found.champion.save(folder / "policy.npz", halved=True)
    measured = list(strengths(folder, args.players, OPPONENTS, args.blocks, cores()))
    return _report(args, found, measured)


def _report(args: argparse.Namespace, found: Run, measured: list[Strength]) -> int:
    report = {
        "steps": [asdict(step) for step in found.steps],
        "strength": [asdict(one) for one in measured],
    }
    write_atomically(args.folder / "strength.json", json.dumps(report["strength"]).encode() + b"\n")
    if args.json:
        print(json.dumps(report))
        return OK
    for one in measured:
        text = f"Elo {one.elo:+.0f} ({one.low:+.0f} to {one.high:+.0f})"
        out().print(Text(f"champion against {one.opponent}: {text} in {one.games} games"))
    return OK


def _proceed(found: Run, seconds: float) -> None:
    try:
        for step in found.proceed(seconds):
            err().print(Text(_line(step)))
    except KeyboardInterrupt:
        err().print("stopped; the same command continues after the last finished step")


def _line(step: Step) -> str:
    gate = "promoted" if step.promoted else "not promoted"
    return (
        f"{step.number}. {step.kind}: {step.decisions:,} decisions in {step.seconds:.0f} s; "
        f"{step.elo:+.0f} Elo ({step.low:+.0f} to {step.high:+.0f}) against the champion, {gate}; "
        f"{step.share_won:.0%} won against planner"
    )
