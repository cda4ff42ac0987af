"""Packed multisets of cards are equivalent to lists of cards."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, strategies as st

from damrak_engine.cards import (
    KINDS,
    MOST_OF_A_KIND,
    WORDS,
    Card,
    count,
    counts,
    packed,
    packed_counts,
    size,
    unpacked,
    without,
)

NUMBERS = st.lists(st.integers(0, MOST_OF_A_KIND), min_size=KINDS, max_size=KINDS)


@given(st.lists(st.sampled_from(range(KINDS)), max_size=MOST_OF_A_KIND))
def test_packing_counts_each_kind(cards: list[int]) -> None:
    pack = packed(cards)
    tally = Counter(cards)
    assert counts(pack) == tuple(tally[kind] for kind in range(KINDS))
    assert [count(pack, kind) for kind in range(KINDS)] == list(counts(pack))
    assert size(pack) == len(cards)
    assert unpacked(pack) == sorted(cards)


@given(NUMBERS)
def test_counts_survive_packing(numbers: list[int]) -> None:
    pack = packed_counts(numbers)
    assert counts(pack) == tuple(numbers)
    assert size(pack) == sum(numbers)
    assert pack < 2**62, "native integers of the compiled engine hold it"


@given(NUMBERS, NUMBERS)
def test_without_takes_as_many_as_there_are(there: list[int], removed: list[int]) -> None:
    left = without(packed_counts(there), packed_counts(removed))
    assert counts(left) == tuple(max(a - b, 0) for a, b in zip(there, removed, strict=True))


def test_words_are_in_the_order_of_the_pile() -> None:
    assert WORDS == ("pink", "blue", "green", "black", "red", "orange", "wild")
    assert [card.word for card in Card] == list(WORDS)
