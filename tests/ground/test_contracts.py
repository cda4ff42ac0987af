"""Import contracts: each of them fails when an import violates it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("ladder", "proto", "referee", "sdk")
LADDER = "ladder/damrak_ladder"

# A violation of each contract: the importing file, and the import that is added to it. A file that
# does not exist is created.
VIOLATIONS = [
    ("Packages point downwards", "sdk/damrak/bot.py", "import damrak_referee"),
    ("Packages point downwards", "proto/damrak_wire/clocks.py", "import damrak.view"),
    ("The engine is pure", "referee/damrak_engine/rules.py", "import logging"),
    (
        "Engine modules form a staircase",
        "referee/damrak_engine/cards.py",
        "import damrak_engine.state",
    ),
    ("Engine modules form a staircase", "referee/damrak_engine/unlisted.py", "import math"),
    ("Shared libraries are pure", "sdk/damrak_statistics/block_scores.py", "import django"),
    ("Shared libraries are pure", "proto/damrak_archive/limits.py", "import grpc"),
    ("Layers of the ladder", f"{LADDER}/bots/models.py", "import damrak_ladder.pipeline"),
    ("Layers of the ladder", f"{LADDER}/leagues/__init__.py", "import damrak_ladder.web.urls"),
    (
        "Layers of the pipeline",
        f"{LADDER}/pipeline/queue/places.py",
        "import damrak_ladder.pipeline.workers",
    ),
    (
        "Layers of the standings",
        f"{LADDER}/standings/fit/figures.py",
        "import damrak_ladder.standings.read.table",
    ),
    ("Layers of the site", f"{LADDER}/web/site/theme.py", "import damrak_ladder.web.desk.bots"),
    ("Calculations need no framework", f"{LADDER}/ratings/scale.py", "import django"),
    ("Only the pipeline knows Celery", f"{LADDER}/web/site/theme.py", "import celery"),
    ("Only the pipeline knows Celery", f"{LADDER}/pipeline/queue/capacity.py", "import kombu"),
    (
        "The installation is read without Django",
        f"{LADDER}/installation/values.py",
        "import django",
    ),
    (
        "Layers of the referee",
        "referee/damrak_referee/table/table.py",
        "import damrak_referee.command",
    ),
    ("Layers of the referee", "referee/damrak_referee/unlisted.py", "import math"),
    (
        "Layers of a table",
        "referee/damrak_referee/table/outbox.py",
        "import damrak_referee.table.link",
    ),
    ("Layers of the SDK", "sdk/damrak/bot.py", "import damrak.cli"),
    ("Only the edges touch protobuf", "sdk/damrak/view.py", "import damrak_proto"),
    ("Bot authors and referees need no Django", "referee/damrak_referee/logs.py", "import django"),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the Python sources, in which contracts can be violated."""
    folder = tmp_path_factory.mktemp("sources")
    for name in SOURCES:
        ignored = shutil.ignore_patterns("*.so", "*.po", "*.mo", "__pycache__", "static")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


@contextmanager
def added(path: Path, line: str) -> Iterator[None]:
    before = path.read_text() if path.exists() else None
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{before or ''}\n{line}\n")
    try:
        yield
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_text(before)


def broken(folder: Path) -> set[str]:
    """Return the names of the broken contracts."""
    paths = os.pathsep.join(str(folder / name) for name in SOURCES)
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo"]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True
    )
    assert "Contracts: " in done.stdout, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    return {line.removesuffix(" BROKEN") for line in lines if line.endswith(" BROKEN")}


@pytest.mark.process
def test_contracts_are_kept(copy: Path) -> None:
    assert not broken(copy)


@pytest.mark.process
@pytest.mark.parametrize(("contract", "file", "line"), VIOLATIONS)
def test_contract_fails_if_an_import_violates_it(
    copy: Path, contract: str, file: str, line: str
) -> None:
    with added(copy / file, line):
        assert contract in broken(copy)


def test_each_contract_has_a_violation() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = {one["name"] for one in project["tool"]["importlinter"]["contracts"]}
    assert contracts == {contract for contract, _, _ in VIOLATIONS}
