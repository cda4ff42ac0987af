"""The engine is pure: it computes from its arguments and uses nothing else.

An import contract can only forbid known modules; this is a list of allowed ones.
"""

import ast
from pathlib import Path

import pytest

import damrak_engine

ENGINE = Path(damrak_engine.__path__[0])
SOURCES = sorted(ENGINE.rglob("*.py"))

ALLOWED = {
    "__future__",
    "bisect",
    "collections",
    "damrak_engine",
    "dataclasses",
    "enum",
    "functools",
    "hashlib",
    "heapq",
    "itertools",
    "json",
    "math",
    "re",
    "struct",
    "typing",
}
ALLOWED_IN = {
    # Boards are package data, and this is how a package reads its own.
    "boards/__init__.py": {"importlib.resources"},
    # Reads the metadata of the installed package.
    "build.py": {"importlib.machinery", "importlib.metadata", "importlib.util"},
}

IMPURE_BUILTINS = {"__import__", "breakpoint", "compile", "eval", "exec", "input", "open", "print"}


def _name(source: Path) -> str:
    return source.relative_to(ENGINE).as_posix()


def imported(tree: ast.Module) -> set[str]:
    """Return the modules that a module imports, also in functions and type-checking blocks."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found.update(alias.name for alias in names)
            case ast.ImportFrom(module=module, level=level):
                found.add("." * level + (module or ""))
    return found


@pytest.mark.parametrize("source", SOURCES, ids=_name)
def test_engine_module_imports_only_what_is_allowed(source: Path) -> None:
    allowed_here = ALLOWED_IN.get(_name(source), set())
    strangers = {
        module
        for module in imported(ast.parse(source.read_text()))
        if module not in allowed_here and module.partition(".")[0] not in ALLOWED
    }
    assert strangers == set()


@pytest.mark.parametrize("source", SOURCES, ids=_name)
def test_engine_module_calls_no_impure_builtin(source: Path) -> None:
    called = {
        node.func.id
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called & IMPURE_BUILTINS == set()


@pytest.mark.parametrize(
    ("line", "module"),
    [
        ("import datetime", "datetime"),
        ("from os import path", "os"),
        ("def f():\n    import time", "time"),
        ("from . import state", "."),
    ],
)
def test_every_form_of_import_is_seen(line: str, module: str) -> None:
    assert imported(ast.parse(line)) == {module}
