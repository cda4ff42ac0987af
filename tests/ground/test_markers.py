"""The markers of tests by which `make quick` selects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

TESTS = Path(__file__).resolve().parents[1]

CONFTEST = """
pytest_plugins = ["markers"]
"""
TEST = """
import multiprocessing, os, subprocess, sys
import pytest

def thread_only():
    pass

def one_process():
    subprocess.run([sys.executable, "-c", ""])

def one_worker():
    process = multiprocessing.get_context("spawn").Process(target=len, args=("",))
    process.start()
    process.join()

@pytest.fixture
def database(request):
    return request.param

@pytest.fixture
def made():
    one_process()

def test_without():
    thread_only()

def test_unmarked():
    one_process()

def test_unmarked_worker():
    one_worker()

def test_unmarked_fixture(made):
    pass

@pytest.mark.process
def test_marked():
    one_process()

@pytest.mark.parametrize("database", ["sqlite", "postgresql"], indirect=True)
def test_databases(database):
    if database == "postgresql":
        one_process()
"""


def pytest_in(folder: Path, *options: str) -> str:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_some.py").write_text(TEST)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  process\n  postgres\n  browser\n")
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "-p", "no:django"]
    variables = {"PYTHONPATH": str(TESTS), "PATH": ""}
    run = subprocess.run(
        [*command, *options], cwd=folder, env=variables, capture_output=True, text=True
    )
    return run.stdout + run.stderr


def test_an_unmarked_test_that_starts_a_process_fails(tmp_path: Path) -> None:
    printed = pytest_in(tmp_path, "-m", "not (process or postgres)")
    failed = {"unmarked", "unmarked_worker", "unmarked_fixture"}
    for name in failed:
        assert f"ERROR test_some.py::test_{name} - Failed: add @pytest.mark.process" in printed
    assert "5 passed, 2 deselected, 3 errors" in printed


def test_markers_follow_from_parameters(tmp_path: Path) -> None:
    printed = pytest_in(tmp_path, "-m", "postgres or process", "--collect-only", "-q")
    assert "test_databases[postgresql]" in printed
    assert "test_marked" in printed
    assert "test_databases[sqlite]" not in printed
    assert "test_without" not in printed
