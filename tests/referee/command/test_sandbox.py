"""The command `damrak-referee sandbox …`, run as by a user."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sandboxes import archive_of

pytestmark = pytest.mark.process


def sandbox(*arguments: object, **more: object) -> subprocess.CompletedProcess[str]:
    """Run `damrak-referee sandbox ARGUMENTS` and return the finished process."""
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-m", "damrak_referee", "sandbox", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **more,
    )


def test_check_prints_the_sandbox_of_bots() -> None:
    said = sandbox("check", "--json")
    found = json.loads(said.stdout)
    assert found.keys() == {"isolation", "missing"}
    assert said.returncode == (1 if found["isolation"] == "none" else 0)
    plain = sandbox("check")
    assert plain.stdout.startswith(f"isolation: {found['isolation']}\n")
    assert plain.returncode == said.returncode


def test_check_without_bubblewrap_explains_the_installation(tmp_path: Path) -> None:
    said = sandbox("check", env={"PATH": str(tmp_path)})
    assert said.returncode == 1
    assert "isolation: none\nuploaded bots: refused\n" in said.stdout
    assert "missing: bubblewrap: apt install bubblewrap\n" in said.stdout


def test_an_archive_is_inspected(tmp_path: Path) -> None:
    path = tmp_path / "bot.zip"
    path.write_bytes(archive_of({"my/bot.py": "x = 1", "my/data": "2"}))
    said = sandbox("archive", path)
    assert (said.returncode, said.stdout) == (0, f"{path}: a Python bot, 2 files\n"), said
    toml = 'run = ["./go", "fast"]'
    path.write_bytes(archive_of({"damrak.toml": toml, "go": ""}))
    found = json.loads(sandbox("archive", path, "--json").stdout)
    assert (found["run"], found["files"], found["refused"]) == (["./go", "fast"], 2, None)


def test_a_bad_archive_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "bot.zip"
    path.write_bytes(archive_of({"main.py": ""}))
    said = sandbox("archive", path)
    assert said.returncode == 1
    assert said.stdout == (
        f"{path}: refused: There is neither bot.py nor damrak.toml at the top of the archive.\n"
    )


def test_a_missing_file_is_misuse(tmp_path: Path) -> None:
    said = sandbox("archive", tmp_path / "absent.zip")
    assert said.returncode == 2
    assert said.stderr.startswith("damrak-referee: ")
    assert said.stderr.count("\n") == 1


def test_cost_of_a_sandbox_is_measured() -> None:
    refused = sandbox("time", "--starts", "0")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    if sandbox("check").returncode:
        pytest.skip("no sandboxes here")
    found = json.loads(sandbox("time", "--starts", "2", "--json").stdout)
    assert found.keys() == {"sandbox", "bare"}
    for times in found.values():
        assert times["ready_ms"] >= times["ready_ms_min"] > 0
