"""A crew returns every result once and in order, and always ends cleanly."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crew_jobs import Dying, Full, Interrupting, Squares, Wrong
from damrak import crew
from damrak.crew import work
from damrak.errors import HostError

SQUARES = [number * number for number in range(30)]


@pytest.fixture(autouse=True)
def _time_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for finished results, however slow the machine is."""
    monkeypatch.setattr(crew, "LAST_WORDS_S", 120.0)


def names(folder: Path) -> set[int]:
    return {int(file.name) for file in folder.iterdir()}


def collect(results: Iterator[int], got: list[int]) -> None:
    """Append the results to `got`, until they end."""
    for result in results:
        got.append(result)


@pytest.mark.process
@pytest.mark.parametrize("processes", [0, 1, 3])
def test_results_come_in_order(processes: int, tmp_path: Path) -> None:
    assert list(work(Squares(30, tmp_path, 0.01), processes)) == SQUARES


@pytest.mark.process
def test_rest_is_discarded_when_the_caller_stops(tmp_path: Path) -> None:
    results = work(Squares(300, tmp_path, 0.002), 2)
    taken = [next(results) for _ in range(5)]
    results.close()
    assert taken == SQUARES[:5]
    assert names(tmp_path) == set(range(5))


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="Windows tells no other process")
def test_interrupt_loses_nothing_that_is_finished(tmp_path: Path) -> None:
    got: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        collect(work(Interrupting(100_000, tmp_path), 2), got)
    assert {number * number for number in names(tmp_path)} == set(got)
    assert 20 in names(tmp_path)
    assert len(got) <= 30


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_crash_of_a_process_is_reported(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="died"):
        list(work(Dying(30, tmp_path), 2))


@pytest.mark.process
def test_error_in_a_process_is_reported(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="three is too much"):
        list(work(Wrong(30, tmp_path), 2))


@pytest.mark.process
def test_full_disk_is_reported_in_words(tmp_path: Path) -> None:
    with pytest.raises(HostError, match=r"^\S*3: no space left on device$"):
        list(work(Full(30, tmp_path), 2))


def test_error_in_this_process_is_raised_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(ArithmeticError):
        list(work(Wrong(30, tmp_path), 0))
