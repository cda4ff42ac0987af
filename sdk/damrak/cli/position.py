"""Tables of positions and results for the terminal."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from damrak.cli.event_text import STYLES, card
from damrak_engine.board import Board
from damrak_engine.cards import CARDS, NO_CARD, count, size
from damrak_engine.observation import Observation, observe
from damrak_engine.scoring import Result
from damrak_engine.state import State


def position_table(state: State, names: tuple[str, ...], eyes: int | None) -> Group:
    """Return the position as the seat `eyes` sees it, or with everything open if it is None."""
    views = [observe(state, seat) for seat in range(state.rules.seats)]
    public = views[0]
    row = [Text("-") if kind == NO_CARD else card(CARDS[kind]) for kind in public.row]
    counted = f"pile {public.pile_size}, discards {size(public.discards)}"
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("seat", "carts", "points", "goods", "hand", "contracts"):
        table.add_column(heading, justify="left" if heading in ("seat", "hand") else "right")
    table.columns[-1].justify = "left"
    for seat, view in enumerate(views):
        is_open = eyes is None or eyes == seat
        table.add_row(
            Text(f"{'>' if state.actor == seat else ' '} {names[seat]}"),
            str(view.carts[seat]),
            str(view.points[seat]),
            str(view.goods[seat]),
            _hand(view) if is_open else _hand_seen_by_others(view),
            _contracts(view) if is_open else Text(f"{view.contract_counts[seat]} hidden"),
        )
    return Group(Text.assemble("row: ", Text(", ").join(row), f"    {counted}"), table, Text())


def _hand(view: Observation) -> Text:
    return _pack(view.hand) if view.hand else Text("-")


def _hand_seen_by_others(view: Observation) -> Text:
    known = view.known[view.seat]
    parts = [_pack(known)] if known else []
    if unknown := size(view.hand) - size(known):
        parts.append(Text(f"{unknown} ?"))
    return Text(", ").join(parts) if parts else Text("-")


def _pack(pack: int) -> Text:
    held = [(kind, count(pack, kind)) for kind in CARDS]
    return Text(", ").join([Text(f"{n} {kind.word}", STYLES[kind]) for kind, n in held if n])


def _contracts(view: Observation) -> Text:
    board = view.rules.board
    held = [c.id for c in board.contracts if view.contracts >> c.id & 1]
    return Text(", ".join(board.contract_name(i) for i in held) or "-")


def result_table(board: Board, result: Result, names: tuple[str, ...]) -> Table:
    """Return a table of the final scoring."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("place", "seat", "total", "routes", "contracts", "goods", "carts left"):
        table.add_column(heading, justify="left" if heading == "seat" else "right")
    table.add_column("fulfilled", justify="left")
    table.add_column("failed", justify="left")
    order = sorted(range(len(names)), key=lambda seat: result.seats[seat].place)
    for seat in order:
        row = result.seats[seat]
        name = names[seat] + (f" (left: {row.fault})" if row.fault else "")
        numbers = (row.total, row.routes, row.contracts, row.goods, row.carts_left)
        table.add_row(
            str(row.place),
            Text(name),
            *(str(number) for number in numbers),
            Text(", ".join(board.contract_name(i) for i in row.fulfilled) or "-"),
            Text(", ".join(board.contract_name(i) for i in row.failed) or "-"),
        )
    return table
