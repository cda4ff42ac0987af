"""Examples of requests and answers: those of a real site, recorded by `.ci/regen-api`."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

FILE: Final = "examples.json"


@cache
def examples() -> dict[str, dict[str, Any]]:
    """Return for each operation its example `request` and `response`, if it has them."""
    text = files("damrak_ladder.api.description").joinpath(FILE).read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found
