"""Ladders for tests."""

from __future__ import annotations

from typing import Any

from damrak_ladder.matches.models import Ladder
from ladder.people import NOW


def some_ladder(slug: str = "practice", **values: Any) -> Ladder:
    """Return a ladder for two players on the practice board by default."""
    given: dict[str, Any] = {
        "name": slug.title(),
        "boards": ["practice"],
        "shares": {"2": 1.0},
        "admits": ["house", "uploaded", "remote"],
        "created": NOW,
    }
    return Ladder.objects.create(slug=slug, **(given | values))
