"""A process with invalid settings names the variable in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("command", "variables", "blamed"),
    [
        ("worker", {"DAMRAK_LADDER_BROKER": "amqp://localhost"}, "DAMRAK_LADDER_BROKER"),
        ("beat", {"DAMRAK_LADDER_BROKER": "nonsense"}, "DAMRAK_LADDER_BROKER"),
        ("worker", {}, "DAMRAK_LADDER_REFEREE"),
        ("worker", {"DAMRAK_LADDER_REFEREE_TLS_CA": "/no/file"}, "DAMRAK_LADDER_REFEREE_TLS_CA"),
    ],
)
def test_it_is_named(command: str, variables: dict[str, str], blamed: str, tmp_path: Path) -> None:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("DAMRAK_")}
    ended = subprocess.run(
        [sys.executable, "-m", "damrak_ladder", command],
        env={**clean, "DAMRAK_HOME": str(tmp_path), **variables},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"damrak-ladder: {blamed}: ")
    assert ended.stderr.count("\n") == 1
