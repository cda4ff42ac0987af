"""The dice match docs/replay.md, number by number."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from damrak_engine.dice import STREAMS, CallDice, QuickDice, SeedDice, commitment

PAGE = (Path(__file__).parents[2] / "docs" / "replay.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| `([\w/]+)` \| (\d+) \| (\d+) \| `(\w{16})` \| (\d+) \|", PAGE, re.M)


def test_page_has_examples() -> None:
    assert len(EXAMPLES) >= 9


@pytest.mark.parametrize(("stream", "n", "call", "number", "pick"), EXAMPLES)
def test_worked_examples(stream: str, n: str, call: str, number: str, pick: str) -> None:
    dice = SeedDice(bytes(32))
    for _ in range(int(call)):
        dice.pick(STREAMS.index(stream), 1)
    assert int(number, 16) * int(n) >> 64 == int(pick)
    assert dice.pick(STREAMS.index(stream), int(n)) == int(pick)


def test_commitment_of_the_example() -> None:
    assert commitment(bytes(32)) in PAGE


def test_streams_are_apart() -> None:
    alone, mixed = SeedDice(b"s" * 32), SeedDice(b"s" * 32)
    wanted = [alone.pick(1, 1000) for _ in range(20)]
    found = []
    for _ in range(20):
        for stream in (0, 2, 6, 10):
            mixed.pick(stream, 7)
        found.append(mixed.pick(1, 1000))
    assert found == wanted


def test_every_stream_and_seed_has_its_own_luck() -> None:
    rows = {
        tuple(SeedDice(bytes([seed]) * 32).pick(stream, 10**6) for _ in range(1))
        for seed in range(4)
        for stream in range(len(STREAMS))
    }
    assert len(rows) == 4 * len(STREAMS)


def test_picks_are_uniform() -> None:
    dice = SeedDice(b"u" * 32)
    tally = Counter(dice.pick(1, 6) for _ in range(6000))
    assert set(tally) == set(range(6))
    assert sum((number - 1000) ** 2 / 1000 for number in tally.values()) < 35


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_has_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        SeedDice(bytes(length))


def test_quick_dice_stay_below_n() -> None:
    dice = QuickDice(Random(1).random)
    assert {dice.pick(1, 5) for _ in range(300)} == set(range(5))


@pytest.mark.parametrize("index", [-1, 3])
def test_scripted_dice_refuse_what_is_out_of_range(index: int) -> None:
    with pytest.raises(ValueError, match="stream row is not below 3"):
        CallDice(lambda stream, n: index).pick(1, 3)
