"""Hosts with deviating results are found, and honest ones are not."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from damrak_ladder.matches.residuals import (
    Deviation,
    PlayedBlock,
    Record,
    Turnout,
    clearest,
    deviations,
    incidents,
)

VERSIONS = range(6)
Spoil = Callable[[Turnout, random.Random], Turnout]


def honest(version: int, rng: random.Random) -> Turnout:
    """Return an honest turnout: thinking times have a long tail, and versions their own pace."""
    thinking = 6.0 + version + rng.gauss(0, 0.4) + (4 if rng.random() < 0.02 else 0)
    return Turnout(version, rng.gauss(0, 1), thinking, int(rng.random() < 0.02))


def record(
    rng: random.Random, count: int = 200, first: int = 0, spoil: Spoil | None = None, since: int = 0
) -> Record:
    """Return a host's record, spoilt from some block on."""
    blocks = []
    for number in range(count):
        turnouts = tuple(honest(version, rng) for version in rng.sample(VERSIONS, 2))
        if spoil is not None and number >= since:
            turnouts = tuple(spoil(turnout, rng) for turnout in turnouts)
        blocks.append(PlayedBlock(first + number, turnouts))
    return Record(tuple(blocks), count)


def look(spoil: Spoil, since: int = 0, hosts: int = 3) -> Deviation:
    """Return the deviation found among hosts of which one is bad."""
    rng = random.Random(7)
    records = {f"good {n}": record(rng, first=1000 * (n + 1)) for n in range(hosts - 1)}
    found = clearest({**records, "bad": record(rng, spoil=spoil, since=since)})
    assert found is not None
    assert found[0] == "bad"
    return found[1]


def test_honest_hosts_are_left_alone() -> None:
    rng = random.Random(1)
    for _ in range(5):
        hosts = {f"host {n}": record(rng, count=rng.choice([20, 100, 320])) for n in range(4)}
        assert deviations(hosts) == {}


def test_lone_host_is_not_compared() -> None:
    rng = random.Random(1)
    slow = record(rng, spoil=lambda it, _: replace(it, thinking=20.0))
    assert deviations({"only": slow}) == {}
    assert deviations({}) == {}


def test_few_blocks_are_inconclusive() -> None:
    rng = random.Random(1)
    slow = record(rng, count=30, spoil=lambda it, _: replace(it, thinking=20.0))
    assert deviations({"good": record(rng), "new": slow}) == {}


def test_slow_host_is_found_and_since_when() -> None:
    found = look(lambda it, _: replace(it, thinking=(it.thinking or 0) + 0.7), since=120)
    assert found.question == "slowness"
    assert found.effect == pytest.approx(2.0, rel=0.3)
    assert found.doubtful[-1] == 199
    assert 90 <= found.doubtful[0] <= 125


def test_host_that_is_merely_a_little_slower_is_not_found() -> None:
    rng = random.Random(3)
    slower = record(rng, 320, spoil=lambda it, _: replace(it, thinking=(it.thinking or 0) + 0.15))
    assert deviations({"good": record(rng, 320), "slower": slower}) == {}


def test_faster_host_is_not_suspected() -> None:
    rng = random.Random(3)
    fast = record(rng, 320, spoil=lambda it, _: replace(it, thinking=(it.thinking or 0) - 0.1))
    assert "fast" not in deviations({"a": record(rng, 320), "b": record(rng, 320), "fast": fast})


def test_host_that_favours_a_version_is_found() -> None:
    def favour(it: Turnout, _: random.Random) -> Turnout:
        return replace(it, residual=(it.residual or 0) + 2) if it.version == 3 else it

    found = look(favour)
    assert (found.question, found.version) == ("results", 3)


def test_host_that_makes_up_results_is_found() -> None:
    found = look(lambda it, rng: replace(it, residual=rng.gauss(0, 3)), since=100)
    assert found.question == "wild results"
    assert 50 <= found.doubtful[0] <= 110


def test_host_on_which_bots_fail_is_found() -> None:
    found = look(lambda it, rng: replace(it, faults=int(rng.random() < 0.4)), since=140)
    assert found.question == "bot faults"
    assert found.doubtful[-1] == 199


def test_host_that_voids_is_found_but_what_it_recorded_is_not_in_doubt() -> None:
    rng = random.Random(5)
    good, bad = record(rng, 300), record(rng, 300, first=1000)
    bad = replace(bad, troubles=tuple(600.0 * n for n in range(40)))
    found = deviations({"good": good, "bad": bad})["bad"]
    assert found.question == "host faults"
    assert found.doubtful == ()


def test_one_restart_that_voids_many_attempts_is_one_incident() -> None:
    assert incidents([0, 1, 2, 3, 70, 71]) == 2
    assert incidents([]) == 0


def test_unknown_values_are_not_compared() -> None:
    rng = random.Random(1)
    blind = record(rng, spoil=lambda it, _: replace(it, thinking=None, residual=None))
    assert deviations({"good": record(rng), "blind": blind}) == {}
