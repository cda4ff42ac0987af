"""The table of a watched match in the terminal: seats, cards in the row, and claimed routes."""

from __future__ import annotations

from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from damrak.cli.event_text import STYLES, card
from damrak.cli.ladders import clean
from damrak_engine.cards import CARDS

SEAT_STYLES: Final = ("bold magenta", "bold cyan", "bold yellow", "bold green")
_COLUMNS: Final = ("seat", "points", "hand", "carts", "goods", "contracts")


class WatchedBoard:
    """What is public of a match: the constant facts, and the values of its latest moment."""

    def __init__(self, header: dict[str, Any]) -> None:
        self._header = header
        self._values: dict[str, Any] = {}

    def take(self, changes: dict[str, Any]) -> None:
        """Take the values that have changed."""
        self._values |= changes

    def picture(self) -> RenderableType:
        """Return the state of the table; nothing if its form is not known."""
        try:
            return Group(Text(), self._row(), self._seats(), *self._routes())
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            return Text()

    def _row(self) -> Text:
        values = self._values
        row = [Text("-") if kind < 0 else card(CARDS[kind]) for kind in values["row"]]
        counted = f"    pile {values['pile']}, discards {sum(values['discards'])}"
        turn = f"turn {values['turn']}" + (", the last round" if values["last"] else "")
        return Text.assemble(f"{turn}    row: ", Text(", ").join(row), counted)

    def _seats(self) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for heading in _COLUMNS:
            is_text = heading in ("seat", "hand")
            table.add_column(heading, justify="left" if is_text else "right")
        deciding = self._values.get("actor") or ()
        for seat in range(len(self._header["seats"])):
            mark = ">" if seat in deciding else " "
            table.add_row(
                Text.assemble(f"{mark} ", self._name(seat)),
                str(self._values[f"s{seat}"]),
                self._hand(seat),
                str(self._values[f"k{seat}"]),
                str(self._values[f"g{seat}"]),
                self._contracts(seat),
            )
        return table

    def _name(self, seat: int) -> Text:
        name = clean(str(self._header["seats"][seat]["bot"]))
        left = " (left)" if self._values.get(f"x{seat}") else ""
        return Text(name + left, SEAT_STYLES[seat])

    def _hand(self, seat: int) -> Text:
        *known, hidden = self._values[f"h{seat}"]
        total = sum(known) + hidden
        parts = [
            Text(f"{number} {kind.word}", STYLES[kind])
            for kind, number in zip(CARDS, known, strict=True)
            if number
        ]
        held = Text(", ").join([*parts, Text(f"{hidden} ?")] if hidden else parts)
        return Text.assemble(f"{total}: ", held) if total else Text("0")

    def _contracts(self, seat: int) -> str:
        held = self._values[f"c{seat}"]
        if None in held:
            return str(len(held))
        return f"{len(self._values[f'd{seat}'])} of {len(held)}"

    def _routes(self) -> list[Text]:
        places, found = self._header["places"], []
        for seat in range(len(self._header["seats"])):
            claimed = [
                f"{places[a]} - {places[b]} {length}"
                for number, (a, b, length, *_) in enumerate(self._header["routes"])
                if self._values.get(f"r{number}") == seat
            ]
            if claimed:
                listed = clean(", ".join(claimed))
                found.append(Text.assemble(self._name(seat), f": {listed}"))
        return found
