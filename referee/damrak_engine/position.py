"""Position of a game: all fields of its state.

It is small and mutable, for thousands of copies: counts are packed into integers, sets are bit
masks, and fields that seldom change are tuples, which copies share. It does not contain the future:
undrawn cards and contracts have no order, and `apply` draws them with the dice it is given.

Seats know some cards of other seats. What follows from public cards is kept here (docs/adr/0002):
`known[s]` are cards that seat s certainly holds, because it took them from the row; `floor[s]` are
further cards that seat s knows to be in the other hands, taken together, because the pile was empty
at the last reshuffle. Which hand can hold which card follows from `hoards`, what each seat had
received unseen at certain moments, and from `shown`, the payments since the first of these moments
with cards not known to be held. `passed` records, for seats that had to pass, the routes for which
their hands cannot have held the cards. `dealt` is the history of contract offers.
"""

from __future__ import annotations

from typing import Final

from damrak_engine.events import Event
from damrak_engine.rules import Rules

SETUP: Final = 0  # every seat owes the choice of its first contracts
TURN: Final = 1
SECOND: Final = 2  # a first card was drawn, a second must follow
KEEP: Final = 3  # contracts are on offer
OVER: Final = 4

ROW_SIZE: Final = 5

# `dealt`: one integer per offer, seat | first << 3 | second << 9 (63: none) | kept << 15
NO_CONTRACT: Final = 63
PENDING: Final = 0
ABANDONED: Final = 4  # the seat left with the offer unanswered; 1, 2, 3 = first, second, both


class Position:
    """All fields of a state; `State` adds the rules."""

    __slots__ = (
        "actor",
        "barred",
        "carts",
        "closing",
        "contracts",
        "dealt",
        "discards",
        "end_reason",
        "first",
        "floor",
        "gone",
        "goods",
        "goods_left",
        "hands",
        "hoard_sizes",
        "hoards",
        "known",
        "last_turns",
        "left",
        "legal",
        "log",
        "offers",
        "open",
        "owned",
        "passed",
        "passes",
        "phase",
        "pile",
        "pile_size",
        "points",
        "returned",
        "row",
        "rules",
        "shown",
        "turns",
        "undrawn",
    )

    rules: Rules
    log: list[Event] | None
    phase: int
    actor: int  # the seat that decides now; -1 when the game is over
    first: int
    turns: int
    pile: list[int]  # the number of cards of each kind
    pile_size: int
    discards: int
    row: list[int]
    hands: list[int]
    known: list[int]
    floor: tuple[int, ...]  # empty before the first reshuffle
    hoards: tuple[tuple[int, ...], ...]  # a hoard per seat, the pile, its maximum of non-wilds
    hoard_sizes: tuple[int, ...]  # of these hoards, flattened
    shown: tuple[tuple[int, int, int], ...]  # seat, number received unseen by then, cards
    # seat, lengths of `hoards` and `shown` by then, its known cards, routes it could not pay for
    passed: tuple[tuple[int, int, int, int, int], ...]
    carts: list[int]
    points: list[int]
    goods: list[int]
    goods_left: int
    owned: list[int]  # a mask of routes per seat
    open: int  # the claims open to every seat
    barred: tuple[int, ...]  # the claims closed to one seat, because it owns the twin
    contracts: tuple[int, ...]  # a mask of contracts per seat
    offers: tuple[tuple[int, ...], ...]  # the contracts that each seat has to choose from now
    undrawn: int  # a mask of the contracts not drawn yet
    returned: tuple[int, ...]  # the contracts under the pile, oldest first
    dealt: tuple[int, ...]
    passes: int  # consecutive
    last_turns: int  # a mask of the seats that still have their last turn; 0 before that
    closing: bool  # option equal_turns: the round is being finished before the last one
    gone: int  # a mask of the seats that left
    left: tuple[tuple[int, str], ...]  # the seats that left and why, in order
    end_reason: str
    legal: int  # the legal mask once it has been computed, else -1

    def __init__(self) -> None:
        """Create a blank position, whose fields the caller sets."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.phase == OVER

    def seats_at_table(self) -> int:
        """Return the number of seats that have not left."""
        return self.rules.seats - self.gone.bit_count()
