"""`damrak train`: train a neural policy by self-play."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich import progress
from rich.text import Text

from damrak.atomic import write_atomically
from damrak.cli import new, train_reference
from damrak.cli.arguments import positive
from damrak.cli.console import err, out
from damrak.cli.errors import OK, Misuse
from damrak.cli.parser import Commands, Parser, add_command, add_json
from damrak.cores import cores
from damrak_engine.build import version_line

# numpy takes a while to import, and most commands do not need it.
if TYPE_CHECKING:
    from damrak.train.curve import Point
    from damrak.train.measurement import Strength
    from damrak.train.network import Network
    from damrak.train.ppo import Progress, Training

OPPONENTS: Final = ("random", "greedy", "planner")
MEASURED: Final = 40  # times during a training
GAMES: Final = 256  # of such a measurement


def add_parser(commands: Commands) -> None:
    """Add the command."""
    group = add_command(
        commands,
        "train",
        _no_verb,
        summary="train a neural bot by self-play",
        text="""
            Trains bots on damrak.env.vector (pip install 'damrak[train]'). The result is a folder
            with a bot that plays, as `damrak new --template numpy` makes it.""",
        examples=("damrak train policy my_bot", "damrak train reference --hours 2"),
    )
    group.set_defaults(parser=group)
    verbs = group.add_subparsers(title="what to train", metavar="VERB", parser_class=Parser)
    _add_options(_add_policy(verbs))
    train_reference.add_parser(verbs)


def _add_policy(verbs: Commands) -> Parser:
    return add_command(
        verbs,
        "policy",
        run,
        summary="train a policy from nothing, and measure it",
        text="""
            Trains a network with one hidden layer by proximal policy optimisation: the policy plays
            all seats of many games at once. Nothing but the rules is given. The folder gets the
            bot with its weights (policy.npz), the progress as a table and a picture (progress.csv,
            progress.svg), and the settings with the measured Elo (training.json). Ctrl-C ends the
            training; the weights so far are kept. With --decisions instead of --minutes, equal
            seeds give equal weights on the same machine.""",
        examples=(
            "damrak train policy my_bot",
            "damrak train policy my_bot --minutes 60 --hidden 512",
            "damrak train policy my_bot --players 3 --decisions 5000000 --seed 7",
        ),
    )


def _add_options(parser: Parser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder to create")
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--minutes", type=_minutes, default=10.0, metavar="M", help="of training (default: 10)"
    )
    length.add_argument("--decisions", type=positive, metavar="N", help="to learn from")
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=2, help="default: 2")
    parser.add_argument(
        "--hidden", type=positive, default=256, metavar="N", help="hidden units (default: 256)"
    )
    parser.add_argument("--seed", type=positive, default=1, metavar="N", help="default: 1")
    parser.add_argument(
        "--blocks",
        type=positive,
        default=100,
        metavar="N",
        help="mirrored blocks against each house bot for the Elo at the end (default: 100)",
    )
    add_json(parser)


def _minutes(text: str) -> float:
    value = float(text)
    if not 0 < value <= 100_000:
        raise ValueError
    return value


_minutes.__name__ = "number of minutes"  # argparse names it in its errors


def run(args: argparse.Namespace) -> int:
    """Train a policy, and measure it."""
    try:
        from damrak.train.curve import draw, write_table
        from damrak.train.measurement import strengths
        from damrak.train.ppo import Training
    except ModuleNotFoundError as missing:
        raise Misuse(f"this needs {missing.name}: pip install 'damrak[train]'") from None
    folder: Path = args.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Misuse(f"{folder}: already exists; choose a new folder, or remove it first")
    training = Training(
        players=args.players,
        seconds=None if args.decisions else args.minutes * 60,
        decisions=args.decisions,
        hidden=args.hidden,
        seed=args.seed,
    )
    new.create("numpy", folder)
    began = time.monotonic()
    points = _train(training, folder)
    write_table(folder / "progress.csv", points)
    draw(folder / "progress.svg", points)
    measured = []
    for found in strengths(folder, args.players, OPPONENTS, args.blocks, cores()):
        measured.append(found)
        if not args.json:
            _print_strength(found)
    report = _report(training, points, measured, time.monotonic() - began)
    write_atomically(folder / "training.json", json.dumps(report, indent=1).encode() + b"\n")
    if args.json:
        print(json.dumps(report))
    else:
        out().print(Text(f"{folder} contains the bot. Next: damrak check {folder}"))
    return OK


def _train(training: Training, folder: Path) -> list[Point]:
    """Train, and keep the weights at every measurement; return the measurements."""
    from damrak.train.measurement import RIVAL, share_won
    from damrak.train.ppo import train

    points: list[Point] = []

    def keep(network: Network, state: Progress) -> None:
        network.save(folder / "policy.npz", halved=True)
        points.append(_point(state, share_won(network, training.players, GAMES)))

    console = err()
    columns = (
        progress.BarColumn(bar_width=24),
        progress.TaskProgressColumn(),
        progress.TextColumn("{task.description}"),
    )
    shown = progress.Progress(*columns, console=console, disable=not console.is_terminal)
    with shown as bar:
        task = bar.add_task("training", total=1.0)
        last: tuple[Network, Progress] | None = None
        try:
            for network, state in train(training):
                last = network, state
                if state.share >= (len(points) + 1) / MEASURED or state.share >= 1:
                    keep(network, state)
                won = f", {points[-1].share_won:.0%} against {RIVAL}" if points else ""
                what = f"{state.decisions:,} decisions, {state.games:,} games{won}"
                bar.update(task, completed=state.share, description=what)
        except KeyboardInterrupt:
            if last is None:
                raise
            keep(*last)
            console.print("training stopped; the weights so far are kept")
    return points


def _point(state: Progress, share: float) -> Point:
    from damrak.train.curve import Point

    return Point(
        round(state.seconds, 1),
        state.decisions,
        state.games,
        round(share, 4),
        round(state.entropy, 4),
        round(state.explained, 4),
    )


def _print_strength(found: Strength) -> None:
    out().print(
        Text(
            f"against {found.opponent}: {found.wins} of {found.games} games won, {found.shared} "
            f"shared; Elo {found.elo:+.0f} ({found.low:+.0f} to {found.high:+.0f})"
        )
    )


def _report(
    training: Training, points: list[Point], measured: list[Strength], seconds: float
) -> dict[str, object]:
    last = points[-1]
    return {
        "damrak": version_line(),
        "training": asdict(training),
        "seconds": round(seconds, 1),
        "decisions": last.decisions,
        "games": last.games,
        "share_won": last.share_won,
        "strength": [asdict(found) for found in measured],
    }


def _no_verb(args: argparse.Namespace) -> int:
    args.parser.print_help()
    return OK
