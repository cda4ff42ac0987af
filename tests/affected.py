"""The tests that a change affects, for `make quick CHANGED=1`.

A changed module affects the tests in its mirrored folder, and each test file that imports the
module or one that depends on it. Any other file affects the tests in its mirrored folder, and each
test file that contains its name.
"""

from __future__ import annotations

import ast
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

import grimp

ROOT: Final = Path(__file__).resolve().parents[1]
TESTS: Final = ROOT / "tests"

# The folders whose tests mirror each package.
MIRRORS: Final = {
    "ladder/damrak_ladder": "ladder",
    "proto/damrak_archive": "wire",
    "proto/damrak_proto": "wire",
    "proto/damrak_wire": "wire",
    "referee/damrak_engine": "engine",
    "referee/damrak_referee": "referee",
    "sdk/damrak": "sdk",
    "sdk/damrak_statistics": "sdk/statistics",
    "docs": "docs",
    "deploy": "ground",
    ".ci": "ground",
}
# Changes of these files affect all tests.
UNIVERSAL: Final = {"pyproject.toml", "tests/conftest.py", "tests/markers.py"}


def changed_files() -> list[str]:
    """Return the files that differ from the branch point with `main`, or from HEAD on `main`."""
    branch_point = _git("merge-base", "HEAD", "main") or ["HEAD"]
    untracked = _git("ls-files", "--others", "--exclude-standard")
    return sorted({*_git("diff", "--name-only", *branch_point), *untracked})


def _git(*arguments: str) -> list[str]:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()


def affected_tests(changed: Iterable[str]) -> list[str]:
    """Return the affected test files and folders, relative to the repository."""
    changed = list(changed)
    if UNIVERSAL & set(changed):
        return ["tests"]
    found = set[Path]()
    names = set[str]()
    for path in changed:
        found.update(_near(ROOT / path))
        names.update(_modules_at(path))
    importers = _importers(names)
    texts = {Path(path).name for path in changed if not path.endswith(".py")}
    for file in _test_files():
        if file in importers or any(text in file.read_text("utf-8") for text in texts):
            found.add(file)
    inner = {one for one in found if not found.intersection(one.parents)}
    return sorted(str(path.relative_to(ROOT)) for path in inner)


def _near(path: Path) -> Iterator[Path]:
    """Return the test file itself, or the folder that mirrors the path."""
    if path.name.startswith("test_") and path.is_relative_to(TESTS):
        yield from [path] if path.exists() else []
        return
    if path.is_relative_to(TESTS):
        folder = path.parent
        if path.suffix == ".py" and path.name != "conftest.py":
            return  # its importers are found by name
        while not any(folder.rglob("test_*.py")):
            folder = folder.parent
        yield folder
        return
    for source, mirror in MIRRORS.items():
        if path.is_relative_to(ROOT / source):
            folder = TESTS / mirror / path.parent.relative_to(ROOT / source)
            while not any(folder.rglob("test_*.py")):
                folder = folder.parent
            yield folder


def _modules_at(path: str) -> Iterator[str]:
    """Return the name of the module in this file, or nothing."""
    if not path.endswith(".py"):
        return
    parts = Path(path).with_suffix("").parts[1:]
    yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _importers(changed: set[str]) -> set[Path]:
    """Return the test files that depend on one of these modules, directly or not."""
    graph = _graph()
    reached = set(changed)
    for name in changed & graph.modules:
        reached |= graph.find_downstream_modules(name)
    imports = _imports_of_tests()
    found = set[Path]()
    while new := {file for file in imports.keys() - found if imports[file] & reached}:
        found |= new
        for file in new:
            reached.update(_modules_at(str(file.relative_to(ROOT))))
    return found


@cache
def _graph() -> grimp.ImportGraph:
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = configured["tool"]["importlinter"]["root_packages"]
    return grimp.build_graph(*packages, exclude_type_checking_imports=True)


@cache
def _imports_of_tests() -> dict[Path, set[str]]:
    return {file: set(_imports(file)) for file in TESTS.rglob("*.py")}


def _imports(file: Path) -> Iterator[str]:
    """Return the modules that a file imports, including the possible ones of `from a import b`."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _test_files() -> Iterator[Path]:
    return TESTS.rglob("test_*.py")
