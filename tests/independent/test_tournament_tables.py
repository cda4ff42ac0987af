"""The independent tables of tournaments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from independent.tournament_tables import main


def test_a_culling_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cup.json"
    file.write_text(json.dumps({"rules": {"stages": [{"format": "culling"}]}}))
    assert main(["--check", str(file)]) == 2
    assert "cullings" in capsys.readouterr().err
