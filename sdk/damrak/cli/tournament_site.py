"""Shared code of the commands for tournaments: the site as this user sees it, and tables."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from damrak.cli.ladders import clean

if TYPE_CHECKING:
    from damrak.ladder.site import Site


def site_of(args: argparse.Namespace) -> Site:
    """Return the site with the token of this machine, or without one if it has none.

    With a token, the site also shows what is released to the user only.
    """
    from damrak.errors import LadderError
    from damrak.ladder.login import find_address, find_site
    from damrak.ladder.site import Site

    try:
        return find_site(args.to, may_be_plain=args.insecure)
    except LadderError:
        return Site(find_address(args.to, may_be_plain=args.insecure))


def table_of(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Table:
    """Return these rows as a table; numbers are aligned to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at, name in enumerate(columns):
        is_number = all(isinstance(row[at], (int, type(None))) for row in rows)
        table.add_column(name, justify="right" if is_number and rows else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text("" if cell is None else clean(cell)) for cell in row))
    return table


def result_line(pairing: dict[str, Any]) -> str:
    """Return a pairing and its result in one line."""
    names = [clean(one["bot"]) for one in pairing["entrants"]]
    if pairing["bye"]:
        return f"{names[0]} has a bye"
    if pairing["points"] is None:
        state = "hidden" if pairing["state"] == "hidden" else "open"
        return f"{' - '.join(names)}  ({state})"
    shown = [f"{name} {points}" for name, points in zip(names, pairing["points"], strict=True)]
    how = "" if pairing["how"] == "played" else f"  ({clean(pairing['how'])})"
    return " - ".join(shown) + how
