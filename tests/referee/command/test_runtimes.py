"""The command `damrak-referee runtimes …`, run as by an operator."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from damrak_referee.runner.optional import SETTINGS
from sandboxes import ground, need_isolation
from small_wheels import NAME, VERSION, make_wheel

pytestmark = pytest.mark.process


def runtimes(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `damrak-referee runtimes ARGUMENTS` without a network; return the finished process."""
    return subprocess.run(
        [sys.executable, "-m", "damrak_referee", "runtimes", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DAMRAK_REFEREE_RUNTIMES": str(folder), "PIP_NO_INDEX": "1"},
    )


@pytest.fixture(scope="module", autouse=True)
def sandboxes() -> None:
    """Skip the tests if there are no sandboxes here."""

    async def look() -> None:
        async with ground() as there:
            need_isolation(there.runner)

    asyncio.run(look())


def test_a_runtime_is_installed_listed_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "runtimes"
    wheel = make_wheel(tmp_path)
    done = runtimes(folder, "install", "quay", wheel, "--import", NAME, "--memory-mb", 700)
    assert done.returncode == 0, done.stderr
    assert "quay: 700 MiB of memory, archives of 64 MiB" in done.stdout
    assert f"import {NAME}: " in done.stdout
    again = runtimes(folder, "install", "quay", wheel)
    assert again.returncode == 2
    assert "exists: remove it first: damrak-referee runtimes remove quay" in again.stderr
    (one,) = json.loads(runtimes(folder, "list", "--json").stdout)["runtimes"]
    assert (one["name"], one["offered"], one["packages"]) == ("quay", True, {NAME: VERSION})
    assert one["import_memory_mb"] > 0
    assert runtimes(folder, "remove", "quay").returncode == 0
    assert list(folder.iterdir()) == []
    assert "damrak-referee runtimes install torch" in runtimes(folder, "list").stdout


def test_nothing_is_left_after_a_failure(tmp_path: Path) -> None:
    folder = tmp_path / "runtimes"
    missing = runtimes(folder, "install", "nothing-of-that-name")
    assert missing.returncode == 1
    assert "pip failed with status" in missing.stderr
    wheel = make_wheel(tmp_path, "raise RuntimeError('no such device')\n")
    broken = runtimes(folder, "install", "quay", wheel, "--import", NAME)
    assert broken.returncode == 1
    assert "RuntimeError: no such device" in broken.stderr
    assert "nothing installed" in broken.stderr
    assert list(folder.iterdir()) == []


def test_packages_of_the_default_runtime_keep_their_versions(tmp_path: Path) -> None:
    folder = tmp_path / "runtimes"
    done = runtimes(folder, "install", "old", "numpy==1.0")
    assert done.returncode == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("install", "Torch"), "NAME: lower-case letters"),
        (("install", "../torch"), "NAME: lower-case letters"),
        (("install", "quay", "--archive-mb", 1000), "--archive-mb: not a number from 1 to 256"),
        (("install", "quay", "--import", "a b"), "--import: give 1 to 20 names"),
        (("remove", "quay"), "there is no runtime quay"),
        (("remove", ".."), "there is no runtime .."),
    ],
)
def test_wrong_arguments_are_refused(
    tmp_path: Path, arguments: tuple[object, ...], fault: str
) -> None:
    done = runtimes(tmp_path, *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert fault in done.stderr


def test_a_runtime_for_another_python_is_listed_as_unfit(tmp_path: Path) -> None:
    folder = tmp_path / "runtimes"
    done = runtimes(folder, "install", "quay", make_wheel(tmp_path), "--import", NAME)
    assert done.returncode == 0
    settings = folder / "quay" / SETTINGS
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    settings.write_text(settings.read_text().replace(f'"{here}"', '"3.8"'))
    done = runtimes(folder, "list")
    assert "for Python 3.8, but bots run on" in done.stderr
