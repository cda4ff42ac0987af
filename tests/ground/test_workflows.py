"""The hosted CI runs the same script as contributors."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_hosted_ci_only_calls_the_script() -> None:
    text = (ROOT / ".github/workflows/ci.yml").read_text("utf-8")
    commands = re.findall(r"^ *(?:- )?run: (.+)$", text, re.MULTILINE)
    assert [command.rpartition(" ")[2] for command in commands] == [".ci/run"]
    assert re.findall(r"uses: ([\w/-]+)@", text) == ["actions/checkout"]


def test_the_script_runs_all_checks() -> None:
    lines = (ROOT / ".ci/run").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith("make")] == [
        "make check",
        "make test",
    ]
