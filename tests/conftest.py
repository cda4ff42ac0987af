"""The pytest configuration: the build of the engine under test, and the search of Hypothesis."""

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

pytest_plugins = ["markers"]

# Several tests run at once. Threads of numpy would occupy the other cores while waiting.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = [
    ROOT / "referee" / "damrak_engine",
    ROOT / "proto" / "damrak_wire",
    ROOT / "referee" / "damrak_referee",
]
INTERPRETED = ROOT / "sdk" / "damrak" / "interpreted.py"

# These start platforms and browsers: their modules take longest.
LONGEST = {ROOT / "tests" / folder for folder in ("browser", "system", "ladder/embedded")}

# No deadlines: the speed of the machine is not a property of the code.
settings.register_profile(
    "search",
    deadline=None,
    max_examples=20 if "DAMRAK_QUICK" in os.environ else 100,  # as in samples.py
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("same", settings.get_profile("search"), derandomize=True)
settings.load_profile("search" if os.environ.get("SEARCH") else "same")


def pytest_configure() -> None:
    """Restore the signal handlers of a terminal, and choose the build.

    The sources are used on request, or if they are newer than the compiled modules.
    """
    _heed_interrupts()
    if _changed_since_compiled():
        os.environ["DAMRAK_INTERPRETED"] = "1"  # child processes of a test must use the same build
    if os.environ.get("DAMRAK_INTERPRETED") == "1":
        # By path: a normal import would import the package, including the engine.
        runpy.run_path(str(INTERPRETED))["force_interpreted_engine"]()


def _heed_interrupts() -> None:
    """Restore the handlers of signals that are ignored if a shell runs tests in the background.

    Otherwise all programs that a test interrupts would ignore these signals, too.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform != "win32" and signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return twice the number of cores, because many tests wait for other processes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return 2 * (cores or 1)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Exclude the objects that exist after collection from garbage collection.

    They exist until the end, and tests that wait for finalizers collect often, which would traverse
    all of them every time. What the tests load later is large, too: collect it less often, which
    takes a tenth of the processor time otherwise.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 20, 50)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the longest tests, so that all workers end at about the same time."""
    items.sort(key=lambda item: item.path.parent not in LONGEST)


@pytest.fixture(autouse=True)
def _environment_as_found() -> Iterator[None]:
    """Restore the environment after each test: commands under test set Django's variables."""
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


def pytest_report_header() -> str:
    """Return a line about the build under test."""
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
