"""`damrak bench` reports under the documented names; its speed is not asserted."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from damrak.benchmark.referee import floods
from damrak.benchmark.report import measure
from damrak.benchmark.timing import Windows
from damrak.cli.bench import print_report

pytestmark = pytest.mark.process

BUILD = {"rollout", "python_loop", "copy_us", "observe_us", "decide_us"}
PEERS = {"openspiel_gin_rummy", "openspiel_hearts", "rlcard_gin_rummy"}


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    """Measure for a minimal time; the figures are meaningless."""
    return measure(Windows(number=1, seconds=0.02), lambda what: None)


def test_names(measured: dict[str, Any]) -> None:
    assert measured["interpreted"].keys() == BUILD
    assert measured["compiled"] is None or measured["compiled"].keys() == BUILD
    assert measured["peers"].keys() == PEERS
    assert measured["peers_tuned"].keys() <= PEERS
    assert measured["jobs"].keys() == {"cores", "games_per_s", "efficiency", "machine"}


def test_figures_are_positive_and_absent_peers_null(measured: dict[str, Any]) -> None:
    figures = [measured["verify_per_s"], measured["state_bytes"], *measured["interpreted"].values()]
    figures += (measured["compiled"] or {}).values()
    figures += [speed for speed in measured["peers"].values() if speed is not None]
    figures += measured["jobs"]["games_per_s"].values()
    assert all(figure > 0 for figure in figures)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("peer", [None, 50_000])
def test_every_figure_has_its_place_in_the_table(
    compiled: bool, peer: int | None, measured: dict[str, Any]
) -> None:
    speeds = {"rollout": 1_234_567, "python_loop": 654_321}
    build = {**speeds, "copy_us": 0.12, "observe_us": 3.45, "decide_us": 6.78}
    report = {
        **measured,
        "compiled": build if compiled else None,
        "peers": dict.fromkeys(PEERS, peer),
        "peers_tuned": {},
    }
    console = Console(file=StringIO(), width=100)
    print_report(console, report)
    printed = console.file.getvalue()  # type: ignore[attr-defined]  # it is the StringIO
    # The last line states the speed of this machine, which may be any number.
    printed = printed.rpartition("CPython")[0]
    assert ("1,234,567" in printed) == compiled
    assert ("24.7" in printed) == (compiled and peer is not None)
    assert ("not installed" in printed) or peer is not None


def test_floods_are_measured_against_an_undisturbed_match() -> None:
    measured = floods.measure(0.5, lambda _: None, ["priority"])
    [kind] = measured["floods"]
    assert kind == "priority"
    found = measured["floods"][kind]
    assert found["ratio"] > 0
    assert found["worst_ms"] >= found["p99_ms"] > 0
    assert found["undisturbed_p99_ms"] > 0
