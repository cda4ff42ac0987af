"""The benchmark of pairings and tables, on small fields."""

from __future__ import annotations

import json

import pytest

from damrak_ladder.benchmark import tournaments
from damrak_ladder.command_line import main


def test_times_and_rematches_are_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tournaments, "FIELDS", ((2, 20, 0.2), (4, 9, 1.0)))
    assert main(["bench", "tournaments", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["times"]
    assert [it["name"] for it in found] == ["a round of 20 for two", "a round of 9 at tables of 4"]
    assert found[0]["rematches"] == 0
    assert all(0 < it["median"] <= it["slowest"] for it in found)
    assert main(["bench", "tournaments"]) == 0
    assert "a round of 20 for two" in capsys.readouterr().out
