"""Transport cards, and multisets of them packed into one integer.

A hand, the pile and the discards have no order, so each is a count per kind: eight bits a kind,
pink lowest, wild highest. Adding and subtracting such integers adds and removes cards; together
they stay below 2**62, where the compiled engine keeps integers unboxed.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final


class Card(IntEnum):
    """A kind of transport card, in the order in which the dice lay the pile out."""

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
MOST_OF_A_KIND: Final = 120  # a board may hold no more, so that the top bit stays free
GUARDS: Final = sum([128 << BITS * kind for kind in range(KINDS)])
ONE: Final = tuple(1 << BITS * kind for kind in range(KINDS))
WILD_SHIFT: Final = BITS * WILD
PLAIN: Final = (1 << WILD_SHIFT) - 1  # the counts of all kinds but wilds


def packed(cards: Iterable[int]) -> int:
    """The multiset of these kinds."""
    return sum([ONE[card] for card in cards])


def packed_counts(numbers: Iterable[int]) -> int:
    """The multiset that holds so many of each kind, pink first."""
    return sum([packed_of(number, kind) for kind, number in enumerate(numbers)])


def packed_of(number: int, kind: int) -> int:
    """So many of this kind.

    Shifted, never multiplied: Python looks for signals while it multiplies numbers of 2**30 and
    more, and native code takes an exception that then comes back for a lack of memory. Where
    numbers are no powers of two it leaves that to `prod`.
    """
    return number << BITS * kind


def count(pack: int, kind: int) -> int:
    """How many of this kind."""
    return pack >> BITS * kind & COUNT


def counts(pack: int) -> tuple[int, ...]:
    """How many of each kind, pink first."""
    return tuple(pack >> BITS * kind & COUNT for kind in range(KINDS))


def size(pack: int) -> int:
    """How many cards in all."""
    total = 0
    while pack:
        total += pack & COUNT
        pack >>= BITS
    return total


def unpacked(pack: int) -> list[Card]:
    """The cards one by one, in the order pink … wild."""
    return [card for card in CARDS for _ in range(pack >> BITS * card & COUNT)]


def without(pack: int, removed: int) -> int:
    """What is left when as many of `removed` as there are have been taken away.

    All seven subtractions at once: a guard bit above each count shows where it stayed positive.
    """
    left = (pack | GUARDS) - removed
    positive = left & GUARDS
    return left & (positive - (positive >> BITS - 1))
