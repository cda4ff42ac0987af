"""The command `damrak-ladder boards`."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any, Final

from damrak_ladder.commands.output import say, say_json, say_table
from damrak_ladder.commands.parser import add_command, add_group, add_json
from damrak_ladder.usage_errors import Misuse

MOST_BYTES: Final = 1024 * 1024  # maximum size of a board's file, 50 times the largest one

_EXAMPLES: Final = """
damrak board new --seed 7 --locations 20 -o town.json
damrak-ladder boards add town.json
damrak-ladder ladders add towns --boards town amsterdam --seats 2:1
damrak-ladder boards show town > copy.json
"""


def add_parser(commands: Any) -> None:
    """Add the commands to the parser."""
    _, verbs = add_group(
        commands,
        "boards",
        "list and add boards",
        "Built-in boards are always available, and daily boards are created automatically for"
        " the ladders that use them. Other boards are added from files. A board never "
        "changes.",
        _EXAMPLES,
    )
    listing = add_command(
        verbs,
        "list",
        "list boards",
        "Lists boards by name: first the built-in ones, then the others, newest first.",
        "damrak-ladder boards list --json",
        _list,
    )
    add_json(listing)
    add = add_command(
        verbs,
        "add",
        "add a board from a file",
        "Validates the file, plays random games on the board, and stores it. Ladders can then"
        " use it. `damrak board check FILE` gives more details.",
        "damrak-ladder boards add town.json\ndamrak-ladder boards add b.json --name old-harbour",
        _add,
    )
    add.add_argument("file", type=Path)
    add.add_argument("--name", help="name of the board (default: name in the file)")
    show = add_command(
        verbs,
        "show",
        "print a board file",
        "Prints the JSON file of a board.",
        "damrak-ladder boards show daily-2026-11-01-24 > board.json",
        _show,
    )
    show.add_argument("name")


def _list(args: argparse.Namespace) -> int:
    from damrak_ladder.management import load

    load()
    from damrak_engine.boards import board_names
    from damrak_ladder.matches.models import Board

    added = Board.objects.order_by("-pk").values_list("name", "created")
    rows: list[dict[str, Any]] = [{"name": name, "added": None} for name in board_names()]
    rows += [{"name": name, "added": created} for name, created in added]
    if args.json:
        say_json(rows)
    else:
        say_table(rows, "")
    return 0


def _add(args: argparse.Namespace) -> int:
    try:
        with args.file.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as problem:
        raise Misuse(f"{args.file}: {problem.strerror}") from None
    if len(data) > MOST_BYTES:
        raise Misuse(f"{args.file}: more than {MOST_BYTES} bytes is too large for a board")
    from damrak_ladder.management import load

    load()
    from django.utils import timezone

    from damrak_engine.generator import health
    from damrak_ladder.matches.boards import HEALTH_GAMES, add_board, board_of
    from damrak_ladder.matches.errors import BadBoard

    name = args.name or args.file.stem
    try:
        add_board(name, data, timezone.now())
    except BadBoard as problem:
        raise Misuse(str(problem)) from None
    found = health(board_of(name), HEALTH_GAMES, random.Random(0).random)  # noqa: S311
    say(f"{name} was added: damrak-ladder ladders change LADDER --boards {name} ...")
    if not found.is_healthy:
        lengths = ", ".join(f"{table.length_ratio:.0%}" for table in found.tables)
        say(
            f"Warning: {found.stalemates} of {HEALTH_GAMES} random games ended in a "
            f"stalemate, and games "
            f"had {lengths} of the usual length (see: damrak board check {args.file})"
        )
    return 0


def _show(args: argparse.Namespace) -> int:
    from damrak_ladder.management import load

    load()
    from damrak_ladder.matches.boards import board_file
    from damrak_ladder.matches.errors import UnknownBoard

    try:
        file = board_file(args.name)
    except UnknownBoard as problem:
        raise Misuse(f"{problem} (see: damrak-ladder boards list)") from None
    say_json(json.loads(file))
    return 0
