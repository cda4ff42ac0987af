"""Which build of the engine the tests run on, and how Hypothesis searches."""

import gc
import os
import runpy
import signal
import sys
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = [
    ROOT / "referee" / "damrak_engine",
    ROOT / "proto" / "damrak_wire",
    ROOT / "referee" / "damrak_referee",
]
INTERPRETED = ROOT / "sdk" / "damrak" / "interpreted.py"

# Those that start platforms and browsers: their modules take longest.
LONGEST = {ROOT / "tests" / folder for folder in ("web", "pipeline", "e2e", "embedded")}

# Nothing is timed: the machine's mood is not a property of the code.
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("search"), derandomize=True)
settings.load_profile("search" if os.environ.get("SEARCH") else "same")


def pytest_configure() -> None:
    """Have signals do what they do at a terminal, and choose the build.

    The sources are run when asked for, or when they are newer than what was compiled.
    """
    _heed_interrupts()
    if _changed_since_compiled():
        os.environ["DAMRAK_INTERPRETED"] = "1"  # child processes of a test must agree
    if os.environ.get("DAMRAK_INTERPRETED") == "1":
        # By path: importing it the usual way would import the package, and with it the engine.
        runpy.run_path(str(INTERPRETED))["force_interpreted_engine"]()


def _heed_interrupts() -> None:
    """Undo what a shell does that runs tests in the background.

    It has them ignore these signals, and so would each program that a test interrupts.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform != "win32" and signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def pytest_xdist_auto_num_workers() -> int:
    """Twice as many as there are cores: many tests wait for other processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return 2 * (cores or 1)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Have the garbage collector leave alone what is loaded now, for it stays until the end.

    Tests that wait for what is freed collect often, and would go through all of it every time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that all workers end at about the same time."""
    items.sort(key=lambda item: item.path.parent not in LONGEST)


@pytest.fixture(autouse=True)
def _environment_as_found() -> Iterator[None]:
    """No test changes the environment of those after it: commands under test set Django's."""
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


def pytest_report_header() -> str:
    """Say which build is tested."""
    if changed := _changed_since_compiled():
        return f"engine: interpreted, for it changed since `make compile`: {', '.join(changed)}"
    if os.environ.get("DAMRAK_INTERPRETED") == "1" or not _libraries():
        return "engine: interpreted"
    return "engine: compiled"


def _libraries() -> list[Path]:
    return _files(f"*{EXTENSION_SUFFIXES[0]}")


def _files(pattern: str) -> list[Path]:
    return [path for package in PACKAGES for path in package.rglob(pattern)]


def _changed_since_compiled() -> list[str]:
    compiled_at = min((path.stat().st_mtime for path in _libraries()), default=float("inf"))
    return sorted(path.name for path in _files("*.py") if path.stat().st_mtime > compiled_at)
