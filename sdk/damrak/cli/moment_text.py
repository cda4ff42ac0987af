"""Moments of a live match as text, with question marks for hidden cards."""

from __future__ import annotations

from typing import Any, Final

from damrak.cli.ladders import clean
from damrak_engine.board import ROUTE_COLOURS

_ENDS: Final = {
    "carts": "all players have had their last turn",
    "stalemate": "no player can move",
    "forfeit": "only one seat is left at the table",
    "turn_limit": "the turn limit is reached",
}


class Commentator:
    """Describes the moments of one match, by the names in its header."""

    def __init__(self, header: dict[str, Any]) -> None:
        self._header = header
        self._values: dict[str, Any] = {}

    def lines(self, moment: list[Any]) -> list[str]:
        """Return the lines about a moment: the event, and the scores after a claim.

        A moment of a form that is not known has no lines.
        """
        try:
            event, changes = moment
            self._values |= changes
            found = self._event(event)
        except (KeyError, IndexError, TypeError, ValueError):
            return []
        return [] if found is None else [clean(found)]

    @property
    def scores(self) -> list[Any]:
        """Return the visible score of each seat."""
        return [self._values.get(f"s{seat}") for seat in range(len(self._header["seats"]))]

    def _event(self, event: dict[str, Any]) -> str | None:
        match event["event"]:
            case "deal":
                row = self._cards(event["row"])
                return f"the row: {row}; {self._name(event['first'])} begins"
            case "keep":
                return f"{self._seat(event)} keeps {self._contracts(event['contracts'])}"
            case "blind":
                return f"{self._seat(event)} draws blind: {_card(event['card'])}"
            case "take":
                return f"{self._seat(event)} takes {_card(event['card'])} from the row"
            case "refill":
                return f"  new in the row: {_card(event['card'])}"
            case "reshuffle":
                return "  the discards become the pile"
            case "flush":
                return f"  too many wilds, the row is discarded: {self._cards(event['cards'])}"
            case "claim":
                return self._claim(event)
            case "offer":
                return f"{self._seat(event)} draws contracts: {self._contracts(event['contracts'])}"
            case "pass":
                return f"{self._seat(event)} passes"
            case "last_round":
                return f"{self._seat(event)} is low on carts: every player has one more turn"
            case "fault":
                return f"{self._seat(event)} leaves the table: {event['reason']}"
            case "end":
                return f"the game is over: {_ENDS.get(event['reason'], event['reason'])}"
            case "places":
                return self._places()
            case _:
                return None

    def _claim(self, event: dict[str, Any]) -> str:
        a, b, length, colour, _ = self._header["routes"][event["route"]]
        places = self._header["places"]
        paid = [f"{length - event['wilds']} {event['colour']}"] if event["colour"] else []
        paid += [f"{event['wilds']} wild"] if event["wilds"] else []
        name = f"{places[a]} - {places[b]} ({ROUTE_COLOURS[colour]}, {length})"
        scores = " : ".join(str(one) for one in self.scores)
        return f"{self._seat(event)} claims {name} with {' and '.join(paid)}   {scores}"

    def _places(self) -> str:
        order = sorted(
            range(len(self._header["seats"])), key=lambda seat: self._values.get(f"y{seat}", 9)
        )
        return "  ".join(
            f"{self._values.get(f'y{seat}')}. {self._name(seat)} {self.scores[seat]}"
            for seat in order
        )

    def _contracts(self, keys: list[int | None]) -> str:
        found = []
        for key in keys:
            if key is None:
                found.append("?")
                continue
            a, b, points = self._header["contracts"][key]
            places = self._header["places"]
            found.append(f"{places[a]} - {places[b]} ({points})")
        return ", ".join(found)

    def _cards(self, cards: list[str | None]) -> str:
        return ", ".join(_card(one) for one in cards)

    def _seat(self, event: dict[str, Any]) -> str:
        return self._name(event["seat"])

    def _name(self, seat: int) -> str:
        return f"{self._header['seats'][seat]['bot']} (seat {seat})"


def _card(card: str | None) -> str:
    return "?" if card is None else card
