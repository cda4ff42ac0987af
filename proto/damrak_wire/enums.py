"""Enums of the protocol, which are words in the engine; cards and phases are numbers there.

The number of a word is one more than its index in the engine's list; 0 means none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Generic, TypeVar, get_args

from damrak_engine.effects import OWNERS, Owner, Why
from damrak_engine.events import END_REASONS, FAULTS
from damrak_wire.errors import WireError

W = TypeVar("W", bound=str)


class Words(Generic[W]):
    """Two-way mapping between the words and numbers of an enum."""

    def __init__(self, words: Sequence[W]) -> None:
        self._words: tuple[W, ...] = tuple(words)
        self._numbers: dict[str, int] = {word: i for i, word in enumerate(words, 1)}

    def number(self, word: str | None, where: str) -> Any:
        """Return the number of a word; 0 for None and for an empty word."""
        # Any, because the stubs have a type for each enum.
        if not word:
            return 0
        try:
            return self._numbers[word]
        except KeyError:
            raise WireError(where, f"{word!r} is not one of {', '.join(self._words)}") from None

    def word(self, number: int, where: str) -> W:
        """Return the word of a number.

        Raises:
            WireError: the number has no word.
        """
        if 1 <= number <= len(self._words):
            return self._words[number - 1]
        if number == 0:
            raise WireError(where, "is missing")
        raise WireError(where, f"{number} is none of {', '.join(self._words)}")

    def word_or_none(self, number: int, where: str) -> W | None:
        """Return the word of a number; None for 0."""
        return self.word(number, where) if number else None


def of_card(card: int | None) -> Any:
    """Return the number of a card; 0 for None and for an empty slot."""
    return 0 if card is None else card + 1 & 7


FAULT_REASONS: Final = Words(FAULTS)
FAULT_OWNERS: Final[Words[Owner]] = Words(OWNERS)
ENDS: Final = Words(END_REASONS)
WHYS: Final[Words[Why]] = Words(get_args(Why))
