"""Every clause, ruling and option value of docs/rules.md is covered by a test here."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import ascii_lowercase

import pytest

from damrak_engine.options import CHOICES, DEFAULTS

HERE = Path(__file__).parent
RULEBOOK = (HERE.parents[1] / "docs" / "rules.md").read_text(encoding="utf-8")

CLAUSES = re.findall(r"^\| R(\d+) \| (\w+) \|", RULEBOOK, re.MULTILINE)
RULINGS = re.findall(r"^\*\*C-(\w+) · ", RULEBOOK, re.MULTILINE)
OPTIONS = {
    name: re.findall(r"`([^`]+)`", values)
    for name, values in re.findall(r"^\| `(\w+)` \| (`.*?) \|", RULEBOOK, re.MULTILINE)
}

TREES = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("test_*.py"))]
TESTS = [
    node.name
    for tree in TREES
    for node in ast.walk(tree)
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
]
SETTINGS = {
    (key.value, value.value)
    for tree in TREES
    for node in ast.walk(tree)
    if isinstance(node, ast.Dict)
    for key, value in zip(node.keys, node.values, strict=True)
    if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
}


def test_rulebook_has_all_clauses_and_rulings() -> None:
    assert [int(number) for number, _ in CLAUSES] == list(range(1, 53))
    letters = ascii_lowercase[: ascii_lowercase.index("w") + 1]
    assert sorted(RULINGS) == sorted([*letters, "a2"])


@pytest.mark.parametrize(("number", "slug"), CLAUSES)
def test_clause_has_a_test(number: str, slug: str) -> None:
    wanted = f"test_r{int(number):02}_{slug}"
    assert any(name == wanted or name.startswith(f"{wanted}_") for name in TESTS)


@pytest.mark.parametrize("ruling", RULINGS)
def test_ruling_has_a_test(ruling: str) -> None:
    assert any(name.startswith(f"test_c_{ruling}_") for name in TESTS)


def test_rulebook_lists_the_options_as_they_are() -> None:
    assert set(OPTIONS) == set(CHOICES)
    defaults = DEFAULTS.to_json()
    for name, values in OPTIONS.items():
        assert values[0] == defaults[name]
        assert set(values) == set(CHOICES[name])


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in CHOICES.items() for value in values]
)
def test_option_value_is_exercised(name: str, value: str) -> None:
    assert (name, value) in SETTINGS, "no test plays with it"


def test_a_turn_limit_is_exercised() -> None:
    limits = [value for name, value in SETTINGS if name == "turn_limit"]
    assert any(isinstance(value, str) and value.isdigit() for value in limits)
