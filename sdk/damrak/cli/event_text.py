"""Events as text for people who watch a match; hidden information is a question mark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, assert_never, cast

from rich.text import Text

from damrak_engine import events
from damrak_engine.board import Board
from damrak_engine.cards import Card
from damrak_engine.events import Event

STYLES: Final = {
    Card.PINK: "magenta",
    Card.BLUE: "blue",
    Card.GREEN: "green",
    Card.BLACK: "bright_black",
    Card.RED: "red",
    Card.ORANGE: "yellow",
    Card.WILD: "bold cyan",
}
END_WORDS: Final = {
    "carts": "all players have had their last turn",
    "stalemate": "no player can move",
    "forfeit": "only one seat is left at the table",
    "turn_limit": "the turn limit is reached",
}

Known = (
    events.Deal
    | events.Keep
    | events.Blind
    | events.Take
    | events.Refill
    | events.Reshuffle
    | events.Flush
    | events.Claim
    | events.Offer
    | events.Pass
    | events.LastRound
    | events.Fault
    | events.End
)


def card(kind: Card | None) -> Text:
    """Return a card in its colour."""
    return Text("?") if kind is None else Text(kind.word, STYLES[kind])


def cards(kinds: Iterable[Card | None]) -> Text:
    """Return a list of cards, separated by commas."""
    return Text(", ").join([card(kind) for kind in kinds])


class Teller:
    """Describes the events of one match, naming seats by their bots."""

    def __init__(self, board: Board, names: tuple[str, ...]) -> None:
        self.board = board
        self.names = names

    def seat(self, seat: int) -> str:
        """Return the name of a seat."""
        return f"{self.names[seat]} (seat {seat})"

    def tell(self, event: Event) -> list[Text]:
        """Return the event in one line or a few."""
        match cast(Known, event):
            case events.Deal() as deal:
                return self._deal(deal)
            case events.Keep(seat=seat, contracts=ids):
                lines = [self._line(seat, "keeps ", self._contracts(ids, " and "))]
            case events.Blind(seat=seat, card=kind):
                lines = [self._line(seat, "draws blind: ", card(kind))]
            case events.Take(seat=seat, slot=slot, card=kind):
                lines = [self._line(seat, "takes ", card(kind), f" from slot {slot}")]
            case events.Refill(slot=slot, card=kind):
                lines = [Text.assemble(f"  slot {slot} is filled: ", card(kind))]
            case events.Reshuffle():
                lines = [Text("  the discards become the pile")]
            case events.Flush(cards=row):
                lines = [Text.assemble("  too many wilds, the row is discarded: ", cards(row))]
            case events.Claim() as claim:
                lines = [self._claim(claim)]
            case events.Offer(seat=seat, contracts=ids):
                lines = [self._line(seat, "draws contracts: ", self._contracts(ids, " or "))]
            case events.Pass(seat=seat):
                lines = [self._line(seat, "passes, because no action is possible")]
            case events.LastRound(seat=seat):
                text = "has two carts or fewer: every player has one more turn"
                lines = [self._line(seat, text, style="bold")]
            case events.Fault(seat=seat, reason=reason, detail=detail):
                lines = [self._line(seat, f"leaves the table: {reason}", style="bold red")]
                lines += [Text(f"  {part}", "red") for part in detail.splitlines()]
            case events.End(reason=reason):
                lines = [Text(f"the game is over: {END_WORDS[reason]}", "bold")]
            case _ as unknown:
                assert_never(unknown)
        return _with_remarks(lines, event)

    def _deal(self, deal: events.Deal) -> list[Text]:
        lines = [Text.assemble("the row: ", cards(deal.row))]
        for seat, hand in enumerate(deal.hands):
            offered = self._contracts(deal.contracts[seat], " or ")
            lines.append(self._line(seat, "is dealt ", cards(hand), "; may keep ", offered))
        lines.append(self._line(deal.first, "begins"))
        return lines

    def _claim(self, claim: events.Claim) -> Text:
        route = self.board.routes[claim.route]
        paid = []
        if claim.colour is not None:
            own = Text.assemble(f"{route.length - claim.wilds} ", card(claim.colour))
            paid.append(own)
        if claim.wilds:
            paid.append(Text.assemble(f"{claim.wilds} ", card(Card.WILD)))
        points = self.board.route_points[route.length]
        gained = f": {points} point{'s' if points != 1 else ''}"
        gained += " and a goods card" if claim.goods else ""
        name = Text(self.board.route_name(claim.route), "bold")
        return self._line(claim.seat, "claims ", name, " with ", Text(" and ").join(paid), gained)

    def _contracts(self, ids: events.Contracts, joined_by: str) -> Text:
        names = ["?" if i is None else self.board.contract_name(i) for i in ids]
        return Text(joined_by.join(names))

    def _line(self, seat: int, *parts: str | Text, style: str = "") -> Text:
        return Text.assemble((self.seat(seat), "bold"), " ", *parts, style=style)


def _with_remarks(lines: list[Text], event: Event) -> list[Text]:
    """Return the lines of an event with the time taken and the note of the bot, if known."""
    if isinstance(event, events.Decision):
        if event.ms:
            lines[0].append(f"  {event.ms} ms", "dim")
        if event.note is not None:
            first, *more = event.note.splitlines() or [""]
            lines.append(Text(f"  note: {first}", "italic"))
            lines += [Text(f"        {line}", "italic") for line in more]
    return lines
