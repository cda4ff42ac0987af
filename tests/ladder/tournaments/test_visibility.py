"""Hidden blocks cannot be reached by any address, and look like those that do not exist."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

import damrak_ladder
from damrak_ladder.accounts.models import User
from damrak_ladder.matches.models import Block
from damrak_ladder.tournaments.log.values import Release
from damrak_ladder.tournaments.visibility import (
    GATED,
    visible,
    visible_blocks,
    visible_matches,
    visible_seats,
)
from ladder.people import somebody
from ladder.tournaments.cups import act, play, started

PACKAGE = Path(damrak_ladder.__file__).parent
BEHIND_THE_GATE = ("web", "api", "notices", "open_data", "events")
"""The packages that show something. They reach the tables only through the gate."""

ALLOWED = {"Board", "Host", "Ladder", "Entry", "FlowClock"}


def uses() -> Iterator[str]:
    """Yield every use of a table behind the gate by the packages that show something."""
    names = {model.__name__ for model in GATED} - ALLOWED
    for package in BEHIND_THE_GATE:
        for path in sorted((PACKAGE / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if (
                    isinstance(node, ast.Attribute)
                    and node.attr in {"objects", "_base_manager", "_default_manager"}
                    and isinstance(node.value, ast.Name)
                    and node.value.id in names
                ):
                    where = path.relative_to(PACKAGE)
                    yield f"{where}:{node.lineno} {node.value.id}.{node.attr}"


def test_pages_and_api_reach_blocks_only_through_the_gate() -> None:
    assert list(uses()) == []


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("level", list(Release))
@pytest.mark.parametrize("visibility", ["public", "private"])
def test_blocks_are_visible_to_those_whom_their_round_is_released_to(
    level: Release, visibility: str
) -> None:
    tournament, user = started(4, reveal=str(level), visibility=visibility)
    play(tournament)
    blocks = Block.objects.count()
    own = User.objects.get(bots__slug="cup-1")
    staff = somebody("sam")
    staff.is_staff = True
    staff.save()
    expected: dict[Any, int] = {None: 0, somebody("eve"): 0, own: 0, user: blocks, staff: blocks}
    if level is Release.ENTRANTS:
        expected[own] = 3
    if level is Release.PUBLIC:
        expected[own] = blocks
        if visibility == "public":
            expected = dict.fromkeys(expected, blocks)
    with override_settings(DAMRAK_NEEDS_SECOND_FACTOR=False):
        for viewer, count in expected.items():
            assert visible_blocks(viewer).count() == count, viewer
            assert visible_matches(viewer).count() == 2 * count
            assert visible_seats(viewer).count() == 4 * count
            for model in GATED:
                assert visible(model, viewer).count() <= model._default_manager.count()


@pytest.mark.usefixtures("database")
def test_later_rounds_are_not_wider_visible_than_those_they_follow_from() -> None:
    tournament, user = started(4, "swiss", rounds=2)
    play(tournament)
    assert visible_blocks(None).count() == 4
    act(tournament, user, "release", {"round": 1, "level": "hidden"})
    assert visible_blocks(None).count() == 0
    act(tournament, user, "release", {"round": 1, "level": "public", "table": 1})
    assert visible_blocks(None).count() == 1
    act(tournament, user, "release", {"round": 1, "level": "public", "table": 2})
    assert visible_blocks(None).count() == 4
    act(tournament, user, "undo", undoes=tournament.serial)  # one step back
    assert visible_blocks(None).count() == 1
