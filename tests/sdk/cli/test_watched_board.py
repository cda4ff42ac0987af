"""The table of a watched match: text in files, colours on a terminal."""

from __future__ import annotations

import io
from typing import Any, Final

from rich.console import Console

from damrak.cli.watch import TableDisplay, Watching
from damrak.cli.watched_board import WatchedBoard

HEADER: Final[dict[str, Any]] = {
    "seats": [{"bot": "hare", "version": "1"}, {"bot": "gable\x1b[31m", "version": "2"}],
    "places": ["Dam", "Rokin", "Spui"],
    "routes": [[0, 1, 3, 0, 0], [1, 2, 2, 6, 1]],
}
VALUES: Final[dict[str, Any]] = {
    "row": [0, 6, -1, 1, 2],
    "pile": 40,
    "discards": [1, 0, 0, 0, 0, 2, 0],
    "turn": 7,
    "last": False,
    "actor": [1],
    "s0": 12,
    "h0": [2, 0, 0, 0, 0, 0, 1, 3],
    "k0": 20,
    "g0": 1,
    "c0": [None, None],
    "d0": [],
    "s1": -4,
    "h1": [0] * 8,
    "k1": 25,
    "g1": 0,
    "c1": [0, 2],
    "d1": [2],
    "x1": "crash",
    "x0": "",
    "r0": 0,
    "r1": -1,
}


def printed(board: WatchedBoard, *, is_terminal: bool) -> str:
    written = io.StringIO()
    colours = "256" if is_terminal else None
    console = Console(file=written, width=100, force_terminal=is_terminal, color_system=colours)
    console.print(board.picture())
    return written.getvalue()


def test_the_table_shows_seats_row_and_claimed_routes() -> None:
    board = WatchedBoard(HEADER)
    board.take(VALUES)
    lines = [" ".join(line.split()) for line in printed(board, is_terminal=False).splitlines()]
    assert lines[1:] == [
        "turn 7 row: pink, wild, -, blue, green pile 40, discards 3",
        "seat points hand carts goods contracts",
        "hare 12 6: 2 pink, 1 wild, 3 ? 20 1 2",
        "> gable\N{REPLACEMENT CHARACTER}[31m (left) -4 0 25 0 1 of 2",
        "hare: Dam - Rokin 3",
    ]
    board.take({"r1": 1, "s1": 0})
    assert "(left): Rokin - Spui 2" in printed(board, is_terminal=False)


def test_colours_are_for_terminals() -> None:
    board = WatchedBoard(HEADER)
    board.take(VALUES)
    assert "\x1b[" in printed(board, is_terminal=True)
    assert "\x1b[" not in printed(board, is_terminal=False)


def test_a_terminal_shows_the_table_below_the_lines() -> None:
    written = io.StringIO()
    console = Console(file=written, width=100, height=40, force_terminal=True)
    watching = Watching(lambda row: [console.print(line) for line in row["lines"]])
    with TableDisplay(console, watching, is_shown=True):
        watching.begin(HEADER)
        watching.take(0, [[{"event": "pass", "seat": 0}, VALUES]])
    said = written.getvalue()
    assert said.index("passes") < said.rindex("Dam - Rokin 3")
    watching.void()
    assert watching.board is None


def test_values_of_an_unknown_form_show_nothing() -> None:
    board = WatchedBoard(HEADER)
    assert not printed(board, is_terminal=False).strip()
    board.take({**VALUES, "row": [99]})
    assert not printed(board, is_terminal=False).strip()
