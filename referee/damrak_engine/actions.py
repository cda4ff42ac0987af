"""Action space: small integers for the engine, typed printable forms for people.

The first eleven ids are the same on every board. Claims follow, ordered by route, then by colour
(grey routes: pink to orange), then by the number of wilds paid; the payment with wilds only comes
last for each route. The ids of a board never depend on the options or the number of seats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from damrak_engine.board import Board
from damrak_engine.cards import COLOURS, Card

BLIND: Final = 0
TAKE: Final = 1  # + slot of the row, 0 to 4
OFFER: Final = 6
KEEP_FIRST: Final = 7
KEEP_SECOND: Final = 8
KEEP_BOTH: Final = 9
PASS: Final = 10
FIRST_CLAIM: Final = 11


@dataclass(frozen=True, slots=True, order=True)
class DrawBlind:
    """Action: draw the unknown top card of the pile."""


@dataclass(frozen=True, slots=True, order=True)
class TakeCard:
    """Action: take the card in this slot of the row."""

    slot: int


@dataclass(frozen=True, slots=True, order=True)
class DrawContracts:
    """Action: draw two contracts, or the last one, to keep at least one."""


@dataclass(frozen=True, slots=True, order=True)
class KeepContracts:
    """Action: keep the first, the second, or both of the contracts on offer."""

    first: bool
    second: bool


@dataclass(frozen=True, slots=True, order=True)
class PassTurn:
    """Action: pass, which ends the turn."""


@dataclass(frozen=True, slots=True)
class ClaimRoute:
    """Action: claim a route with `length - wilds` cards of a colour (None: all wild) and wilds."""

    route: int
    colour: Card | None
    wilds: int


Action = DrawBlind | TakeCard | DrawContracts | KeepContracts | PassTurn | ClaimRoute

_FIXED: Final[tuple[Action, ...]] = (
    DrawBlind(),
    *(TakeCard(slot) for slot in range(5)),
    DrawContracts(),
    KeepContracts(True, False),
    KeepContracts(False, True),
    KeepContracts(True, True),
    PassTurn(),
)


class ActionSpace:
    """Two-way mapping between the action ids of a board and their typed forms."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.actions: tuple[Action, ...] = (*_FIXED, *_claims(board))
        self._ids = {action: i for i, action in enumerate(self.actions)}

    def __len__(self) -> int:
        return len(self.actions)

    def typed(self, action: int) -> Action:
        """Return the typed form of an action id."""
        return self.actions[action]

    def id_of(self, action: Action) -> int:
        """Return the id of a typed form; KeyError if this board has no such action."""
        return self._ids[action]

    def describe(self, action: int) -> str:
        """Return the action in words, for logs and people."""
        match self.actions[action]:
            case DrawBlind():
                return "draw blind"
            case TakeCard(slot=slot):
                return f"take the card in slot {slot}"
            case DrawContracts():
                return "draw contracts"
            case KeepContracts(first=True, second=True):
                return "keep both contracts"
            case KeepContracts(first=first):
                return f"keep the {'first' if first else 'second'} contract"
            case PassTurn():
                return "pass"
            case ClaimRoute(route=route, colour=colour, wilds=wilds):
                cards = self.board.routes[route].length - wilds
                paid = [f"{cards} {colour.word}"] if colour is not None else []
                paid += [f"{wilds} wild"] if wilds else []
                return f"claim {self.board.route_name(route)} with {' and '.join(paid)}"


def _claims(board: Board) -> list[ClaimRoute]:
    claims = []
    for route in board.routes:
        colours = range(COLOURS) if route.is_grey else (route.colour,)
        for colour in colours:
            claims += [ClaimRoute(route.id, Card(colour), wilds) for wilds in range(route.length)]
        claims.append(ClaimRoute(route.id, None, route.length))
    return claims
