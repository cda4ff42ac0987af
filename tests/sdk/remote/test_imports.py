"""Importing `damrak` does not import remote play, and few modules know the messages."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import damrak

SDK = Path(damrak.__file__).parent
HEAVY = ("grpc", "google.protobuf", "asyncio", "damrak_proto", "damrak_wire", "rich")

# The modules that build and parse messages; all others use damrak_wire.
EDGES = ("remote/lobby.py", "remote/control.py", "conform/", "benchmark/")


def loaded(code: str) -> set[str]:
    """Return the modules that are loaded after running this in a new interpreter."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


@pytest.mark.process
@pytest.mark.parametrize(
    "code",
    [
        "from damrak import Bot",
        "import damrak.local, damrak.series, damrak.testing",
        "import damrak.hosting.child, damrak.hosting.forked",
    ],
)
def test_bots_and_local_play_need_no_network(code: str) -> None:
    assert loaded(code) & set(HEAVY) == set()


@pytest.mark.process
def test_commands_load_the_network_only_when_they_need_it() -> None:
    assert (
        loaded("import damrak.cli.command") & {"grpc", "google.protobuf", "damrak_proto"} == set()
    )


@pytest.mark.process
def test_seat_loads_no_more_than_it_needs() -> None:
    code = (
        "import damrak.remote.seat, damrak.remote.connection, damrak.remote.local_bot\n"
        "import damrak.remote.session"
    )
    needless = {
        "argparse",
        "rich",
        "damrak.bots.mcts",
        "damrak.cli",
        "damrak.remote.lobby",
        "damrak.hosting.hosted",
        "importlib.metadata",
        "subprocess",
        "multiprocessing",
    }
    # grpc itself imports asyncio, and that imports subprocess.
    by_grpc = loaded("import grpc")
    assert (loaded(code) & needless) - by_grpc == set()


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module)):
                yield module


def test_messages_are_known_at_the_edges_only() -> None:
    guilty = [
        name
        for path in SDK.rglob("*.py")
        if any(module.startswith("damrak_proto") for module in imports(path))
        and not (name := path.relative_to(SDK).as_posix()).startswith(EDGES)
    ]
    assert guilty == []


def test_sdk_never_imports_the_referee() -> None:
    guilty = [
        path
        for path in SDK.rglob("*.py")
        if any(module.split(".")[0] == "damrak_referee" for module in imports(path))
    ]
    assert guilty == []
