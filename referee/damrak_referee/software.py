"""The name and version of this program, for replays, logs and clients."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def software() -> str:
    """Return the package and its version."""
    try:
        return f"damrak {version('damrak')}"
    except PackageNotFoundError:
        return "damrak"
