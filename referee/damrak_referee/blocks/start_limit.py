"""Limits how many matches may start their programs at once.

A bot that is not ready in time has failed. It must not fail because two hundred others were
started at the same moment on a machine with two cores.
"""

from __future__ import annotations

import asyncio
import os
from typing import Final

MOST: Final = max(4, 2 * (os.cpu_count() or 1))


class Slot:
    """A permit to start programs; `release` is idempotent."""

    def __init__(self, semaphore: asyncio.Semaphore) -> None:
        self._semaphore: asyncio.Semaphore | None = semaphore

    def release(self) -> None:
        """Let the next match start."""
        if self._semaphore is not None:
            self._semaphore.release()
            self._semaphore = None


class Starting:
    """The start slots of one referee."""

    def __init__(self, most: int = MOST) -> None:
        self._semaphore = asyncio.Semaphore(most)

    async def take(self, unless: asyncio.Event) -> Slot | None:
        """Wait for a free slot; return None if the event comes first."""
        taking = asyncio.ensure_future(self._semaphore.acquire())
        giving_up = asyncio.ensure_future(unless.wait())
        try:
            await asyncio.wait([taking, giving_up], return_when=asyncio.FIRST_COMPLETED)
        finally:
            giving_up.cancel()
            if not taking.done():
                taking.cancel()
        return Slot(self._semaphore) if taking.done() else None
