"""Time controls for people: a long bank, and enough grace for a relay that is started again."""

from __future__ import annotations

from typing import Any, Final

_GRACE: Final = 60_000
_STRIKES: Final = 20  # the site checks answers, so a person hardly ever needs one


def _pace(bank_minutes: int, increment_seconds: int) -> dict[str, Any]:
    return {
        "decision_ms": None,
        "bank_ms": bank_minutes * 60_000,
        "increment_ms": increment_seconds * 1000,
        "grace_ms": _GRACE,
        "strikes": _STRIKES,
    }


PACES: Final[dict[str, dict[str, Any]]] = {
    "calm": _pace(30, 20),
    "brisk": _pace(8, 5),
    "blitz": _pace(3, 2),
}
"""The time control of each pace, the usual one first."""
