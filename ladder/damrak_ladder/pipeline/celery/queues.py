"""The Celery queues: one for decisions, one for low-priority work, and one for each host."""

from __future__ import annotations

from typing import Final

MAIN: Final = "main"
"""Tasks that any clerk may run."""

SPARE: Final = "spare"
"""Tasks that an analyst runs with spare capacity."""


def queue_of(host: str) -> str:
    """Return the name of the queue of blocks for this host."""
    return f"play.{host}"
