"""The queues: for all that is decided, for what may wait, and one for each host that plays."""

from __future__ import annotations

from typing import Final

MAIN: Final = "main"
"""What any clerk may do."""

SPARE: Final = "spare"
"""What an analyst does with the time that is left."""


def queue_of(host: str) -> str:
    """Where blocks for this host go."""
    return f"play.{host}"
