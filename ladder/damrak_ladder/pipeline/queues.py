"""The queues: one for all that is decided, and one for each host that plays."""

from __future__ import annotations

from typing import Final

MAIN: Final = "main"
"""What any clerk may do."""


def queue_of(host: str) -> str:
    """Where blocks for this host go."""
    return f"play.{host}"
