"""`damrak board`: create, check (`board_check.py`) and draw boards."""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from damrak.atomic import write_atomically
from damrak.cli import board_check
from damrak.cli.arguments import board_named, positive, whole
from damrak.cli.board_check import add_board, facts_of
from damrak.cli.console import err, out
from damrak.cli.errors import OK
from damrak.cli.parser import Commands, Parser, add_command, add_json
from damrak_engine.boards import board_names, load_board
from damrak_engine.drawing import draw
from damrak_engine.generator import LOCATIONS, generate

MOST_SEEDS: Final = 10**6  # small enough to tell another person
ONE_A_LINE: Final = ("locations", "routes", "contracts")


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "board",
        _no_verb,
        summary="create, check and draw boards",
        text="""
            Boards are JSON files. Wherever a command expects a board, you can give the name of a
            built-in board or a file.""",
        examples=(
            "damrak board new --seed 7 --locations 20 -o town.json",
            "damrak board check town.json",
            "damrak board draw town.json -o town.svg",
            "damrak play greedy planner --board town.json",
        ),
    )
    parser.set_defaults(parser=parser)
    verbs = parser.add_subparsers(title="what to do", metavar="VERB", parser_class=Parser)
    _add_new(verbs)
    board_check.add_parser(verbs)
    _add_draw(verbs)
    _add_list(verbs)


def _no_verb(args: argparse.Namespace) -> int:
    args.parser.print_help()
    return OK


# ---- new ---------------------------------------------------------------------------------------


def _add_new(verbs: Commands) -> None:
    parser = add_command(
        verbs,
        "new",
        _new,
        summary="create a new board",
        text="""
            Invents a board: names, a network without crossings, colours, goods and contracts. The
            same seed and size always make the same board.""",
        examples=(
            "damrak board new --seed 7 --locations 20 -o town.json",
            "damrak board new --locations 40 > large.json",
        ),
    )
    parser.add_argument("--seed", type=whole, metavar="N", help="default: a random seed")
    parser.add_argument(
        "--locations",
        type=_size,
        default=17,
        metavar="N",
        help=f"from {LOCATIONS[0]} to {LOCATIONS[-1]} (default: %(default)s, as on amsterdam)",
    )
    _add_output(parser)


def _size(text: str) -> int:
    number = positive(text)
    if number not in LOCATIONS:
        limits = f"from {LOCATIONS[0]} to {LOCATIONS[-1]}"
        raise argparse.ArgumentTypeError(f"a new board has {limits} locations, not {number}")
    return number


def _new(args: argparse.Namespace) -> int:
    seed = random.randrange(MOST_SEEDS) if args.seed is None else args.seed
    made = generate(seed, args.locations)
    _deliver(args.output, board_text(made), f"{made['name']}: seed {seed}")
    return OK


def board_text(board: dict[str, Any]) -> str:
    """Return a readable and editable board file: one location, route or contract per line."""
    fields = []
    for key, value in board.items():
        text = json.dumps(value, ensure_ascii=False)
        if key in ONE_A_LINE:
            lines = ",\n".join(f"  {json.dumps(entry, ensure_ascii=False)}" for entry in value)
            text = f"[\n{lines}\n ]"
        fields.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


# ---- draw and list -----------------------------------------------------------------------------


def _add_draw(verbs: Commands) -> None:
    parser = add_command(
        verbs,
        "draw",
        _draw,
        summary="draw a board as SVG",
        text="""
            Draws a board as one SVG document that needs nothing else. Besides its colour every
            route carries a sign, so that nobody has to tell colours apart.""",
        examples=("damrak board draw amsterdam -o amsterdam.svg", "damrak board draw town.json"),
    )
    add_board(parser)
    _add_output(parser)


def _draw(args: argparse.Namespace) -> int:
    board = board_named(args.board)
    _deliver(args.output, draw(board), board.name)
    return OK


def _add_list(verbs: Commands) -> None:
    parser = add_command(
        verbs,
        "list",
        _list,
        summary="list the built-in boards",
        text="Lists the boards that can be named wherever a board is asked for.",
        examples=("damrak board list", "damrak board list --json"),
    )
    add_json(parser)


def _list(args: argparse.Namespace) -> int:
    boards = [load_board(name) for name in board_names()]
    if args.json:
        print(json.dumps({"boards": [facts_of(board) for board in boards]}, ensure_ascii=False))
        return OK
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in facts_of(boards[0]):
        table.add_column(heading)
    for board in boards:
        table.add_row(*(Text(str(value)) for value in facts_of(board).values()))
    out().print(table)
    return OK


# ---- shared arguments --------------------------------------------------------------------------


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="output file (default: standard output)"
    )


def _deliver(path: Path | None, text: str, about: str) -> None:
    if path is None:
        sys.stdout.write(text)
        return
    write_atomically(path, text.encode())
    err().print(Text(f"{path}: {about}"), soft_wrap=True)
