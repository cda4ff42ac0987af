"""Markers for what a test requires; `make quick` selects tests by them.

Most of them follow from the folder, the fixtures and the parameters of a test. Other tests that
start processes are marked explicitly. Where `-m` excludes them, an unmarked test that starts a
process fails. CI runs a failed test a second time if it starts processes (ADR 44).
"""

from __future__ import annotations

import multiprocessing.process
import os
import sys
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

TESTS: Final = Path(__file__).resolve().parent

FOLDERS: Final = {
    TESTS / "browser": ("browser", "process"),
    TESTS / "system": ("process",),
}
FIXTURES: Final = {
    "browser": ("browser", "process"),
    "object_server": ("process",),
    "plant": ("process",),
}
PARAMETERS: Final = {"postgresql": ("postgres",), "s3": ("process",)}

# A database server and a browser are processes, too.
STARTING: Final = ("process", "postgres", "browser")
STARTS: Final = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system")

_started: list[str] = []


@pytest.hookimpl(tryfirst=True)  # before the selection with -m
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add the markers that follow from folders, fixtures and parameters."""
    is_ci = "CI" in os.environ
    for item in items:
        for name in _required(item):
            item.add_marker(name)
        if is_ci and any(item.get_closest_marker(name) for name in STARTING):
            item.add_marker(pytest.mark.flaky(reruns=1))


def _required(item: pytest.Item) -> set[str]:
    found = {name for folder in item.path.parents for name in FOLDERS.get(folder, ())}
    found.update(*(FIXTURES.get(fixture, ()) for fixture in getattr(item, "fixturenames", ())))
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        values = [value for value in item.callspec.params.values() if isinstance(value, str)]
        found.update(*(PARAMETERS.get(value, ()) for value in values))
    return found


def pytest_configure() -> None:
    """Record all starts of processes."""
    sys.addaudithook(_record)
    start = multiprocessing.process.BaseProcess.start

    def recorded(self: multiprocessing.process.BaseProcess) -> None:
        _started.append(str(self))
        start(self)

    multiprocessing.process.BaseProcess.start = recorded  # type: ignore[method-assign]


def _record(
    event: str, arguments: tuple[Any, ...], starts: Container[str] = frozenset(STARTS)
) -> None:
    # An argument, because globals are cleared before the last events, when the interpreter ends.
    if event in starts:
        _started.append(f"{event} {arguments[1] if len(arguments) > 1 else ''}"[:200])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Start the record of each test anew."""
    _started.clear()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Fail a test that starts a process although the selection excludes such tests."""
    result = yield
    is_excluded = "process" in item.config.getoption("markexpr")
    if is_excluded and _started and not any(item.get_closest_marker(name) for name in STARTING):
        pytest.fail(f"add @pytest.mark.process: the test starts {_started[0]}", pytrace=False)
    return result
