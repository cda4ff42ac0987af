"""Ladders for tests."""

from __future__ import annotations

from typing import Any

from damrak_ladder.matches.models import Ladder
from ladder_django.people import NOW


def some_ladder(slug: str = "practice", **values: Any) -> Ladder:
    """A ladder for two on the practice board, unless told otherwise."""
    given: dict[str, Any] = {
        "name": slug.title(),
        "boards": ["practice"],
        "shares": {"2": 1.0},
        "admits": ["house", "uploaded", "remote"],
        "created": NOW,
    }
    return Ladder.objects.create(slug=slug, **(given | values))
