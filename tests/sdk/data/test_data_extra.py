"""`damrak.data` is imported only when used, and names its requirements."""

import subprocess
import sys

import pytest

LACK = """
import sys
sys.modules[sys.argv[1]] = None  # as if it were not installed
import damrak.data
try:
    getattr(damrak.data, sys.argv[2])
except ImportError as problem:
    print(problem)
"""


def run(program: str, *arguments: str) -> str:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.process
def test_importing_brings_none_of_the_extra() -> None:
    program = "import sys, damrak.data; damrak.data.matches; print(*sys.modules)"
    assert {"numpy", "pyarrow"}.isdisjoint(run(program).split())


@pytest.mark.process
@pytest.mark.parametrize(
    ("package", "name"), [("numpy", "decisions"), ("pyarrow", "write_parquet")]
)
def test_missing_requirement_is_named_with_its_remedy(package: str, name: str) -> None:
    problem = f"damrak.data.{name} needs {package}: pip install 'damrak[data]'"
    assert run(LACK, package, name) == problem
