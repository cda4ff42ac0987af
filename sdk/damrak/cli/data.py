"""`damrak data`: turn replays into data sets."""

from __future__ import annotations

import argparse
import gc
import json
import time
from pathlib import Path

from damrak.cli.console import remark
from damrak.cli.errors import OK, Misuse
from damrak.cli.parser import Commands, Parser, add_command, add_json


def add_parser(commands: Commands) -> None:
    """Add the command."""
    group = add_command(
        commands,
        "data",
        _no_verb,
        summary="turn replays into data sets",
        text="""
            Tools for damrak.data, which reads replays as arrays for machine learning and for
            statistics (pip install 'damrak[data]').""",
        examples=("damrak data decisions games --out decisions.parquet",),
    )
    group.set_defaults(parser=group)
    verbs = group.add_subparsers(title="what to do", metavar="VERB", parser_class=Parser)
    parser = add_command(
        verbs,
        "decisions",
        run,
        summary="write the decisions in replays as a Parquet file",
        text="""
            Plays each replay again and writes a row for every decision: what the seat knew as a
            vector, which actions were legal, the action, and the result of the match for that
            seat. Vectors and actions have the layout of damrak.env. Reads files of `damrak play
            --save` and `damrak download`, NDJSON files (also *.ndjson.gz) with a replay on each
            line, and dumps of open data: a folder, or the address of a site. A damaged file is
            named, and then nothing is written.""",
        examples=(
            "damrak play planner greedy --games 100 --save games",
            "damrak data decisions games --out decisions.parquet",
            "damrak data decisions games --bot planner --out planner.parquet --json",
            "damrak data decisions https://damrak.example --rating 1500: --out strong.parquet",
        ),
    )
    _add_arguments(parser)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a file or folder of replays, or a dump: a folder or the address of a site",
    )
    parser.add_argument(
        "--out", metavar="FILE", type=Path, required=True, help="the Parquet file to write"
    )
    parser.add_argument("--bot", metavar="NAME", help="only decisions of this bot")
    parser.add_argument(
        "--seat", metavar="N", type=int, choices=range(4), help="only decisions of this seat"
    )
    parser.add_argument("--board", metavar="ID", help="only matches on this board")
    parser.add_argument(
        "--rating",
        metavar="LOW:HIGH",
        type=_bounds,
        help="only decisions of versions with a rating in this range (1500: or :1200); dumps only",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    from damrak import data

    try:
        write, decisions = data.write_parquet, data.decisions
    except data.MissingExtra as problem:
        raise Misuse(str(problem)) from None
    # Replays consist of many small objects without cycles: looking for cycles takes a tenth of the
    # time.
    gc.set_threshold(100_000)
    began = time.perf_counter()
    try:
        batches = decisions(
            args.files, bot=args.bot, seat=args.seat, board=args.board, rating=args.rating
        )
        rows = write(batches, args.out)
    except ValueError as problem:
        raise Misuse(str(problem)) from None
    seconds = round(time.perf_counter() - began, 3)
    if args.json:
        print(json.dumps({"rows": rows, "seconds": seconds, "file": str(args.out)}))
    else:
        print(f"{args.out}: {rows:,} decisions in {seconds:.1f} s")
        if rows == 0:
            remark("no decision matches the filters")
    return OK


def _bounds(text: str) -> tuple[float | None, float | None]:
    low, colon, high = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return (float(low) if low else None, float(high) if high else None)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a range such as 1500:1800") from None


def _no_verb(args: argparse.Namespace) -> int:
    args.parser.print_help()
    return OK
