"""`damrak env selftest` and `damrak bench env` report under the names that others rely on."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from damrak.benchmark.report import measure_environments
from damrak.benchmark.timing import Windows
from damrak.cli import main
from damrak.cli.bench_env import print_report
from damrak.env.vectorized import native, selftest
from damrak.env.vectorized.native import NoCore

pytestmark = pytest.mark.process

PEERS = {
    "openspiel_gin_rummy",
    "openspiel_hearts",
    "pgx_kuhn_poker",
    "pgx_leduc_holdem",
    "pufferlib_connect4",
}


@pytest.mark.usefixtures("native")
def test_selftest_counts_steps_and_differences(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["env", "selftest", "--steps", "500", "--jobs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steps"] >= 500
    assert found["different"] == 0
    assert found["differences"] == []
    assert main(["env", "selftest", "--steps", "500", "--jobs", "1"]) == 0
    assert f"in {len(selftest.configurations())} configurations: 0 different" in (
        capsys.readouterr().out
    )


@pytest.mark.usefixtures("native")
def test_a_difference_is_printed_and_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = selftest.Report(
        64, ("practice 2 players, seed 1: draws: core and engine have 3 and 4",)
    )
    monkeypatch.setattr(selftest, "run", lambda *_: iter([report]))
    assert main(["env", "selftest"]) == 1
    assert "core and engine have 3 and 4\n64 steps" in capsys.readouterr().out
    assert main(["env", "selftest", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["different"] == 1


def test_without_a_core_the_remedy_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> Any:
        raise NoCore("the native core was not built")

    monkeypatch.setattr(native, "core", missing)
    assert main(["env", "selftest"]) == 2
    assert capsys.readouterr().err == (
        "damrak: the native core was not built; make compile builds it\n"
    )


@pytest.mark.parametrize("steps", ["0", "-5", "many"])
def test_wrong_numbers_of_steps(steps: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["env", "selftest", "--steps", steps]) == 2
    assert "--steps" in capsys.readouterr().err


def test_env_alone_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["env"]) == 0
    assert "selftest" in capsys.readouterr().out


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    """Figures that are only examples."""
    return measure_environments(Windows(number=1, seconds=0.02), lambda what: None)


def test_names_of_the_benchmark(measured: dict[str, Any]) -> None:
    vector = measured["vector"]
    assert {"steps_per_s", "bare_steps_per_s", "threads"} <= vector.keys()
    assert vector["threads"].keys() == {"1", "2"}
    assert "DamrakAEC" in measured["single"]
    assert measured["peers"].keys() == PEERS
    figures = [vector["steps_per_s"], vector["bare_steps_per_s"], *vector["threads"].values()]
    figures += [*measured["single"].values()]
    figures += [speed for speed in measured["peers"].values() if speed is not None]
    assert all(figure > 0 for figure in figures)


def test_every_figure_has_its_place_in_the_table(measured: dict[str, Any]) -> None:
    report = {
        **measured,
        "vector": {
            "steps_per_s": 4_000_000,
            "bytes_steps_per_s": 5_000_000,
            "bare_steps_per_s": 16_000_000,
            "threads": {"1": 3_000_000, "2": 5_700_000},
        },
        "peers": {**dict.fromkeys(PEERS, 40_000), "pgx_kuhn_poker": None},
    }
    console = Console(file=StringIO(), width=120)
    print_report(console, report)
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert "16,000,000" in printed
    assert "0.0100" in printed
    assert "not installed" in printed
    assert "1.90 times as many" in printed
