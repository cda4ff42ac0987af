"""The native core under AddressSanitizer, with input that no program should send."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from damrak.env.vectorized.native import FOLDER

ROOT = Path(__file__).resolve().parents[4]
FUZZ = Path(__file__).with_name("fuzz.py")
SANITIZE = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
STEPS = 4_000


@pytest.fixture(scope="module")
def preloaded(native: None) -> str:
    """The libraries of the sanitizers, to be loaded before Python."""
    if sys.platform != "linux" or platform.libc_ver()[0] != "glibc":
        pytest.skip("only for Linux with glibc")
    paths = []
    for name in ("libasan.so", "libubsan.so"):
        asked = ["gcc", f"-print-file-name={name}"]
        try:
            found = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("there is no gcc")
        if not Path(found).is_absolute():
            pytest.skip(f"gcc has no {name}")
        paths.append(found)
    return " ".join(paths)


def fuzz(core: Path, steps: int, preloaded: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "LD_PRELOAD": preloaded,
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(ROOT / "tests"),
    }
    command = [sys.executable, str(FUZZ), str(core), str(steps), "1"]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def build(folder: Path, **changes: str) -> Path:
    """Return the core with sanitizers, built with some text replaced."""
    sys.path.insert(0, str(ROOT))
    import hatch_build

    source = folder / hatch_build.CORE_FOLDER
    source.mkdir(parents=True)
    for name in ("rules.h", "core.c"):
        text = (FOLDER / name).read_text("utf-8")
        for right, wrong in changes.items():
            text = text.replace(right, wrong)
        (source / name).write_text(text, "utf-8")
    return hatch_build.build_core(folder, folder / "built", SANITIZE)


@pytest.mark.process
def test_no_input_reaches_outside_of_the_arrays(preloaded: str, tmp_path: Path) -> None:
    done = fuzz(build(tmp_path), STEPS, preloaded)
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[0]) >= STEPS


@pytest.mark.process
def test_an_access_outside_would_be_found(preloaded: str, tmp_path: Path) -> None:
    core = build(tmp_path, **{"log[g->logged] =": "log[g->logged + 100000] ="})
    done = fuzz(core, STEPS, preloaded)
    assert done.returncode != 0
    assert "AddressSanitizer" in done.stderr
