"""The state of a game as data, and how to copy it.

Small and mutable, made to be copied by the thousand: counts packed into integers, sets as bit
masks, and tuples (shared by copies) for what seldom changes. It holds no future: undrawn cards
and contracts have no order, and chance is asked of the dice that `apply` is given.

Seats know some cards of other seats. What follows from the cards that everyone saw is kept here
(docs/adr/0002): `known[s]` are cards that seat s certainly holds, having taken them from the row;
`floor[s]` are further cards that seat s knows to be in the other hands taken together, because the
pile was empty when the discards were last reshuffled. Which hand can hold what then follows from
`hoards`, what each seat had received unseen at certain moments, and from `shown`, the payments
since the first of them of cards not known to be held. `passed` tells of seats that had to pass for
which routes their hands cannot have held the cards. `dealt` is the history of contracts.
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

# `dealt`: one integer an offer, seat | first << 3 | second << 9 (63: none) | kept << 15
NO_CONTRACT: Final = 63
PENDING: Final = 0
ABANDONED: Final = 4  # the seat left with the offer unanswered; 1, 2, 3 = first, second, both


class Position:
    """Every field of a state; `State` adds the rules."""

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
    pile: list[int]  # how many of each kind
    pile_size: int
    discards: int
    row: list[int]
    hands: list[int]
    known: list[int]
    floor: tuple[int, ...]  # empty before the first reshuffle
    hoards: tuple[tuple[int, ...], ...]  # a hoard a seat, the pile, how many no wilds it can hold
    hoard_sizes: tuple[int, ...]  # of these hoards, in one row
    shown: tuple[tuple[int, int, int], ...]  # seat, how much it had received unseen, cards
    # seat, how many `hoards` and `shown` by then, its known cards, the routes it could not pay for
    passed: tuple[tuple[int, int, int, int, int], ...]
    carts: list[int]
    points: list[int]
    goods: list[int]
    goods_left: int
    owned: list[int]  # a mask of routes a seat
    open: int  # the claims open to everyone
    barred: tuple[int, ...]  # the claims closed to one seat, because it owns the twin
    contracts: tuple[int, ...]  # a mask of contracts a seat
    offers: tuple[tuple[int, ...], ...]  # what each seat has to choose from now
    undrawn: int  # a mask of the contracts nobody has drawn yet
    returned: tuple[int, ...]  # those under the pile, oldest first
    dealt: tuple[int, ...]
    passes: int  # in a row
    last_turns: int  # a mask of the seats that still have their last turn; 0 before that
    closing: bool  # option equal_turns: the round is being finished before the last one
    gone: int  # a mask of the seats that left
    left: tuple[tuple[int, str], ...]  # who left and why, in order
    end_reason: str
    legal: int  # the legal set once it has been asked for, else -1

    def __init__(self) -> None:
        """A blank, whose fields the caller sets."""

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.phase == OVER

    def seats_at_table(self) -> int:
        """How many seats have not left."""
        return self.rules.seats - self.gone.bit_count()
