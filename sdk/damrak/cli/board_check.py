"""`damrak board check`: check whether a board is sound, readable and healthy."""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from rich import progress
from rich.table import Table
from rich.text import Text

from damrak.cli.arguments import board_named, positive, whole
from damrak.cli.console import err, out
from damrak.cli.errors import FAILED, OK
from damrak.cli.parser import Commands, add_command, add_json
from damrak_engine.board import Board
from damrak_engine.drawing import Flaw, flaws_of
from damrak_engine.generator import Health, design_flaws, health

GAMES: Final = 10_000


def add_parser(verbs: Commands) -> None:
    """Add the verb."""
    parser = add_command(
        verbs,
        "check",
        run,
        summary="is this board sound, readable and healthy?",
        text="""
            Checks the file field by field, looks for routes that cross, names that collide and
            contracts that make no sense, then plays random games with every number of players. A
            board is healthy if none of them ends in a stalemate and if they are about as long as
            on amsterdam, give or take a quarter. The exit code is 1 if the board is not healthy
            or has a grave flaw, and 2 if the file is no board.""",
        examples=(
            "damrak board check town.json",
            "damrak board check practice --any-length",
            "damrak board check town.json --games 100000 --json",
        ),
    )
    add_board(parser)
    parser.add_argument(
        "--games",
        type=positive,
        default=GAMES,
        metavar="N",
        help="random games in all (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=whole, default=0, metavar="N", help="of these games (default: %(default)s)"
    )
    parser.add_argument(
        "--any-length", action="store_true", help="the board is meant for shorter or longer games"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    board = board_named(args.board)
    flaws = [*flaws_of(board), *design_flaws(board)]
    # The minimum is one game with every number of players.
    games = max(args.games, board.players[1] - board.players[0] + 1)
    with _games_bar(games) as advance:
        found = health(board, games, random.Random(args.seed).random, advance)
    wrong = list(_wrong(found, flaws, args.any_length))
    if args.json:
        report = facts_of(board) | _report(found, flaws) | {"wrong": wrong, "ok": not wrong}
        print(json.dumps(report, ensure_ascii=False))
    else:
        _tell(board, flaws, found)
        verdict = f"not right: {', '.join(wrong)}" if wrong else "sound and healthy"
        out().print(Text(verdict, "red" if wrong else "green"))
    return FAILED if wrong else OK


def _wrong(found: Health, flaws: list[Flaw], any_length: bool) -> Iterator[str]:
    if any(flaw.grave for flaw in flaws):
        yield "grave flaws"
    if found.stalemates:
        yield "stalemates"
    if not (any_length or found.is_of_usual_length):
        yield "games of unusual length (allow them with --any-length)"


@contextmanager
def _games_bar(games: int) -> Iterator[Callable[[int], None]]:
    console = err()
    bar = progress.Progress(
        progress.TextColumn("random games"),
        progress.BarColumn(bar_width=24),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task("", total=games)
        yield lambda played: bar.advance(task, played)


def add_board(parser: argparse.ArgumentParser) -> None:
    """Add the argument of the verbs that read a board."""
    parser.add_argument("board", metavar="BOARD", help="a file, or a board of the package")


def facts_of(board: Board) -> dict[str, Any]:
    """Return the name and the size of a board."""
    return {
        "board": board.id,
        "name": board.name,
        "locations": len(board.locations),
        "routes": len(board.routes),
        "contracts": len(board.contracts),
    }


def _report(found: Health, flaws: list[Flaw]) -> dict[str, Any]:
    return {
        "flaws": [{"text": flaw.text, "grave": flaw.grave} for flaw in flaws],
        "players": {
            str(table.seats): {
                "games": table.games,
                "actions": round(table.length, 2),
                "of_amsterdam": round(table.length_ratio, 4),
                "stalemates": table.stalemates,
            }
            for table in found.tables
        },
        "stalemates": found.stalemates,
    }


def _tell(board: Board, flaws: list[Flaw], found: Health) -> None:
    console = out()
    facts = ", ".join(f"{value} {key}" for key, value in facts_of(board).items() if _counts(value))
    console.print(Text(f"{board.name}: {facts}"), soft_wrap=True)
    for flaw in sorted(flaws, key=lambda flaw: not flaw.grave):
        mark, style = ("flaw", "red") if flaw.grave else ("blemish", "yellow")
        console.print(Text(f"{mark}: {flaw.text}", style), soft_wrap=True)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("players", "games", "actions a game", "of amsterdam's", "stalemates"):
        table.add_column(heading, justify="right")
    for line in found.tables:
        table.add_row(
            str(line.seats),
            str(line.games),
            f"{line.length:.1f}",
            Text(f"{line.length_ratio:.0%}", "" if line.is_of_usual_length else "yellow"),
            Text(str(line.stalemates), "red" if line.stalemates else ""),
        )
    console.print(table)


def _counts(value: object) -> bool:
    return isinstance(value, int)
