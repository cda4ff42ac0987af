"""What this program is, for replays, logs and whoever asks."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def software() -> str:
    """The package and its version."""
    try:
        return f"damrak {version('damrak')}"
    except PackageNotFoundError:
        return "damrak"
