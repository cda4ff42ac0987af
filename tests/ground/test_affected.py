"""The tests that `make quick CHANGED=1` selects."""

from __future__ import annotations

import pytest

from affected import TESTS, affected_tests  # type: ignore[import-not-found]


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("tests/engine/test_cards.py", {"tests/engine/test_cards.py"}),
        ("tests/engine/test_removed.py", set()),
        ("ladder/damrak_ladder/web/desk/bots.py", {"tests/ladder/web/desk"}),
        ("ladder/damrak_ladder/web/desk/templates/desk/new.html", {"tests/ladder/web/desk"}),
        ("ladder/damrak_ladder/ratings/scale.py", {"tests/ladder/ratings", "tests/ladder/web"}),
        ("sdk/damrak/conform/suite.py", {"tests/sdk/conform"}),
        ("docs/protocol.md", {"tests/docs", "tests/sdk/conform/test_conform.py"}),
        ("tests/ladder/conftest.py", {"tests/ladder"}),
        ("tests/conftest.py", {"tests"}),
        ("pyproject.toml", {"tests"}),
    ],
)
def test_a_change_affects_its_tests(changed: str, tests: set[str]) -> None:
    found = affected_tests([changed])
    for wanted in tests:
        assert any(one == wanted or one.startswith(f"{wanted}/") for one in found), found


def test_a_change_affects_no_unrelated_test() -> None:
    assert affected_tests(["ladder/damrak_ladder/web/desk/bots.py"]) == ["tests/ladder/web/desk"]
    assert affected_tests(["tests/engine/test_cards.py"]) == ["tests/engine/test_cards.py"]


def test_importers_are_affected_through_others() -> None:
    found = affected_tests(["sdk/damrak_statistics/block_scores.py"])
    assert "tests/sdk/statistics" in found
    assert any(path.startswith("tests/ladder/trials") for path in found)
    helpers = affected_tests(["tests/ladder/sites.py"])
    assert "tests/ladder/web/home/test_home.py" in helpers
    assert all((TESTS.parent / path).exists() for path in helpers)
