"""The map of the code is up to date: its lists, its pictures, and the code that it names."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAP = ROOT / "docs" / "architecture.md"
PICTURES = ROOT / "docs" / "images" / "architecture"
SOURCES = [ROOT / source for source in ("ladder", "proto", "referee", "sdk")]
SVG = "{http://www.w3.org/2000/svg}"

CODE = re.compile(r"`([^`\n]+)`")
STEP = re.compile(r"^\| [\w ]+ \| `([\w/]+\.py)` \| ((?:`[\w.]+`(?:, )?)+) \|", re.MULTILINE)
A_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?$")
A_FORMAT = re.compile(r"damrak-\w+/\d+$")
DECISIONS = sorted(f"docs/adr/{path.name}" for path in (ROOT / "docs/adr").glob("[0-9]*.md"))
DOCUMENTS = ["docs/architecture.md", "CONTRIBUTING.md", *DECISIONS]
IGNORED = (".venv/", "build/", "dist/", "var/")


def steps() -> list[tuple[str, str]]:
    """Return the files and functions of the walks through the code."""
    rows = STEP.findall(MAP.read_text("utf-8"))
    return [(file, name) for file, names in rows for name in CODE.findall(names)]


@cache
def names_in(file: str) -> frozenset[str]:
    """Return the functions, classes and methods of a file, as `function` and `Class.method`."""
    found = set()
    for node in ast.parse((ROOT / file).read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            inner = (n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
            found |= {f"{node.name}.{method.name}" for method in inner}
    return frozenset(found)


@pytest.mark.process
def test_the_lists_of_packages_and_modules_are_up_to_date() -> None:
    """If this fails: `.ci/regen-map`."""
    command = [sys.executable, ".ci/regen-map", "--check"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_a_walk_has_the_expected_length() -> None:
    assert len(steps()) > 70


@pytest.mark.parametrize(("file", "name"), steps())
def test_a_named_function_exists(file: str, name: str) -> None:
    assert name in names_in(file)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_named_paths_exist(document: str) -> None:
    """A path in a code span is relative to the repository, a source root, or the ladder."""
    text = re.sub(r"^    .*$", "", (ROOT / document).read_text("utf-8"), flags=re.MULTILINE)
    roots = (ROOT, *SOURCES, ROOT / "ladder" / "damrak_ladder")
    named = [path for path in CODE.findall(text) if A_PATH.match(path) and not A_FORMAT.match(path)]
    missing = [
        path
        for path in named
        if not path.startswith(IGNORED) and not any((root / path).exists() for root in roots)
    ]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS)
def test_named_packages_exist(document: str) -> None:
    named = set(re.findall(r"`(damrak\w*(?:\.[a-z_]+)+)`", (ROOT / document).read_text("utf-8")))
    for name in named:
        path = name.replace(".", "/")
        assert any((f / path).is_dir() or (f / f"{path}.py").is_file() for f in SOURCES), name


def texts(picture: str, kind: str) -> list[str]:
    """Return the texts of this class in a picture, from top to bottom."""
    tree = ElementTree.parse(PICTURES / f"{picture}.svg")
    found = [node for node in tree.iter(f"{SVG}text") if kind in node.get("class", "").split()]
    return [node.text or "" for node in found]


def layers_of(contract: str) -> list[set[str]]:
    """Return the layers of an import contract, as sets of module names."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    [found] = [one for one in contracts if one["name"] == contract]
    return [set(re.findall(r"\w+", layer)) for layer in found["layers"]]


@pytest.mark.parametrize(
    ("package", "contract"),
    [
        ("damrak", "Layers of the SDK"),
        ("damrak_ladder", "Layers of the ladder"),
        ("damrak_referee", "Layers of the referee"),
    ],
)
def test_the_picture_of_the_packages_agrees_with_the_contracts(package: str, contract: str) -> None:
    layers = layers_of(contract)
    heights = []
    for name in texts("packages", package):
        [height] = [at for at, layer in enumerate(layers) if name in layer]
        heights.append(height)
    assert heights == sorted(heights)
    assert len(heights) >= 8


def test_the_picture_of_the_packages_has_all_of_them() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        roots = set(tomllib.load(file)["tool"]["importlinter"]["root_packages"])
    assert roots <= set(texts("packages", "title"))


def test_the_picture_and_the_table_have_all_processes() -> None:
    plans = (ROOT / "ladder/damrak_ladder/embedded/plans.py").read_text("utf-8")
    processes = set(re.findall(r'Plan\("(\w+)"', plans)) | {"runner", "relay"}
    assert len(processes) >= 8
    assert processes <= set(texts("processes", "title"))
    table = re.findall(r"^\| (\w+) \|", MAP.read_text("utf-8"), re.MULTILINE)
    assert processes - {"broker"} <= set(table)


@pytest.mark.parametrize("picture", ["packages", "processes"])
def test_a_picture_is_self_contained_and_has_a_dark_theme(picture: str) -> None:
    text = (PICTURES / f"{picture}.svg").read_text("utf-8")
    assert "prefers-color-scheme: dark" in text
    assert "href" not in text
    assert "url(" not in text.replace("url(#head)", "")


def test_contributors_find_every_target_of_make() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    told = re.findall(
        r"^\| `make ([\w-]+)` \|", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE
    )
    assert sorted(told) == sorted(targets - {"help"})
