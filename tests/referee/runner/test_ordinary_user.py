"""Sandboxes of a referee that is not root: the same attacks, with less help from the kernel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[2]
UID = "23456"
ATTACKS = (
    "fork_bomb or thread_bomb or test_memory_bomb or reader or signals or privileges or daemonising"
    " or outside or finds_only or own_referee_only or referee_that_dies or stored_for_all"
)

pytestmark = pytest.mark.skipif(
    not (sys.platform == "linux" and os.geteuid() == 0 and shutil.which("unshare")),
    reason="only root can become somebody else; who is not root runs these tests anyway",
)


def as_user(*command: str) -> subprocess.CompletedProcess[str]:
    """Run this command as an ordinary user."""
    wrapper = [sys.executable, str(TESTS / "ordinary_user.py"), UID]
    return subprocess.run(
        ["unshare", "--mount", *wrapper, *command],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.process
@pytest.mark.root
def test_an_ordinary_user_has_secure_sandboxes() -> None:
    if as_user("unshare", "--user", "true").returncode != 0:
        pytest.skip("ordinary users may not make namespaces here")
    check = "from damrak_referee.command.sandbox import run; import argparse, sys; "
    said = as_user(
        sys.executable, "-c", check + "sys.exit(run(['check'], argparse.ArgumentParser))"
    )
    assert said.returncode == 0, said
    assert "isolation: user" in said.stdout
    assert "run the referee as root" in said.stdout
    ran = as_user(
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:django",  # its settings would look for root's data
        "-k",
        ATTACKS,
        "tests/referee/runner",
    )
    assert ran.returncode == 0, ran.stdout[-8000:]
    assert "passed" in ran.stdout
