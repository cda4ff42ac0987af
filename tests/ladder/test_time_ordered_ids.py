"""Time-ordered ids increase, fit into a double, and show the time but no number of rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given, strategies as st

from damrak_ladder.time_ordered_ids import (
    EPOCH,
    LARGEST,
    RANDOM_BITS,
    IdGenerator,
    new_id,
    short_form,
)

LAST_YEAR = datetime(2095, 1, 1, tzinfo=UTC)
MOMENTS = st.datetimes(
    EPOCH.replace(tzinfo=None), LAST_YEAR.replace(tzinfo=None), timezones=st.just(UTC)
)


def generator(moments: list[datetime], seed: int = 0) -> IdGenerator:
    """Return a generator whose clock shows one of these moments after the other."""
    clock = iter(moments)
    return IdGenerator(lambda: next(clock).timestamp(), Random(seed).randrange)


@given(st.lists(MOMENTS, max_size=50), st.integers())
def test_ids_increase_whatever_the_clock_shows(moments: list[datetime], seed: int) -> None:
    generate = generator(moments, seed)
    ids = [generate() for _ in moments]
    assert ids == sorted(set(ids))
    assert all(0 < one <= LARGEST and int(float(one)) == one for one in ids)


@given(MOMENTS, st.integers())
def test_id_contains_the_time_in_milliseconds(moment: datetime, seed: int) -> None:
    shown = timedelta(milliseconds=generator([moment], seed)() >> RANDOM_BITS)
    assert timedelta(0) <= moment - EPOCH - shown <= timedelta(milliseconds=1)


def test_threads_of_a_process_never_generate_the_same_id() -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda _: [new_id() for _ in range(1000)], range(8)))
    assert len({one for some in ids for one in some}) == 8000
    assert all(some == sorted(some) for some in ids)


@pytest.mark.statistical
@pytest.mark.parametrize("seed", range(3))
def test_processes_seldom_generate_the_same_id(seed: int) -> None:
    """Four processes book 1,000 blocks of 8 matches each, one every three milliseconds."""
    taken: set[int] = set()
    clashing = 0
    for process in range(4):
        chance = Random(f"{seed} {process}")
        begin = LAST_YEAR + timedelta(milliseconds=3 * chance.random())
        moments = [begin + timedelta(milliseconds=3 * at) for at in range(1000) for _ in range(8)]
        generate = IdGenerator(
            iter([one.timestamp() for one in moments]).__next__, chance.randrange
        )
        for _ in range(1000):
            ids = {generate() for _ in range(8)}
            clashing += not taken.isdisjoint(ids)
            taken |= ids
    assert clashing < 4000 * 0.05  # so that all of `matches.booking._TRIES` clash once in 10^10


@pytest.mark.parametrize(
    ("key", "shown"), [(7, "7"), (999_999, "999999"), (123_456_789_012_345, "…012345")]
)
def test_short_form_of_an_id(key: int, shown: str) -> None:
    assert short_form(key) == shown
