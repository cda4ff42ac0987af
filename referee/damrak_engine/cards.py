"""Transport cards, and multisets of them packed into one integer.

A hand, the pile and the discards have no order, so each is one count per kind: eight bits per
kind, pink lowest, wild highest. Adding and subtracting such integers adds and removes cards. They
stay below 2**62, so the compiled engine keeps them unboxed.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final


class Card(IntEnum):
    """A kind of transport card, in the order in which the dice index the pile."""

    PINK = 0
    BLUE = 1
    GREEN = 2
    BLACK = 3
    RED = 4
    ORANGE = 5
    WILD = 6

    @property
    def word(self) -> str:
        """The word used in files: `pink` … `wild`."""
        return self.name.lower()


KINDS: Final = 7
COLOURS: Final = 6
WILD: Final = 6
GREY: Final = 6  # a route's colour: any one colour pays for it
NO_CARD: Final = 7  # an empty slot of the row

CARDS: Final = tuple(Card)
WORDS: Final = tuple(card.word for card in Card)
CARD_OF_WORD: Final = {card.word: card for card in Card}

BITS: Final = 8
COUNT: Final = 255
MOST_OF_A_KIND: Final = 120  # limit of a board, which keeps the top bit free
GUARDS: Final = sum([128 << BITS * kind for kind in range(KINDS)])
ONE: Final = tuple(1 << BITS * kind for kind in range(KINDS))
WILD_SHIFT: Final = BITS * WILD
PLAIN: Final = (1 << WILD_SHIFT) - 1  # the counts of all kinds but wilds


def packed(cards: Iterable[int]) -> int:
    """Return the multiset of these kinds of card."""
    return sum([ONE[card] for card in cards])


def packed_counts(numbers: Iterable[int]) -> int:
    """Return the multiset with these counts per kind, pink first."""
    return sum([packed_of(number, kind) for kind, number in enumerate(numbers)])


def packed_of(number: int, kind: int) -> int:
    """Return the multiset of `number` cards of this kind.

    It shifts instead of multiplying: Python checks for signals while it multiplies numbers of 2**30
    and more, and compiled code mistakes an exception raised there for a lack of memory. For the
    same reason, other large products use `prod`.
    """
    return number << BITS * kind


def count(pack: int, kind: int) -> int:
    """Return the number of cards of this kind."""
    return pack >> BITS * kind & COUNT


def counts(pack: int) -> tuple[int, ...]:
    """Return the number of cards of each kind, pink first."""
    return tuple(pack >> BITS * kind & COUNT for kind in range(KINDS))


def size(pack: int) -> int:
    """Return the total number of cards."""
    total = 0
    while pack:
        total += pack & COUNT
        pack >>= BITS
    return total


def unpacked(pack: int) -> list[Card]:
    """Return the cards one by one, in the order pink … wild."""
    return [card for card in CARDS for _ in range(pack >> BITS * card & COUNT)]


def without(pack: int, removed: int) -> int:
    """Return the multiset minus `removed`, where no count falls below zero.

    It subtracts all seven counts at once: a guard bit above each count shows whether the count
    stayed non-negative.
    """
    left = (pack | GUARDS) - removed
    positive = left & GUARDS
    return left & (positive - (positive >> BITS - 1))
