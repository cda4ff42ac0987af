"""What a bot prints to standard output: the first of it is noted, with where it came from."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TextIO

from damrak.hosting.faults import TRACEBACK_LIMIT, is_ours
from damrak_engine.effects import printable

WORDS: Final = 60  # characters that are quoted
REASON: Final = "output"  # none of the engine's, for it ends no match


class WatchedStdout:
    """A text stream that passes on what it is given, and keeps the first words and their place."""

    def __init__(self, stream: TextIO, on_first: Callable[[FrameType], None] | None = None) -> None:
        self.stream = stream
        self.detail = ""  # what was printed first, in one line; empty if nothing was
        self.traceback = ""
        self._on_first = on_first

    def write(self, text: str) -> int:
        """Pass it on."""
        written = self.stream.write(text)
        if not self.detail and text.strip():
            self._note(text.strip(), sys._getframe(1))
        return written

    def _note(self, text: str, frame: FrameType) -> None:
        said = repr(text if len(text) <= WORDS else text[:WORDS] + "…")
        self.detail = printable(f"it printed {said}", 2 * WORDS)
        frames = traceback.extract_stack(frame)
        ours = [i for i, each in enumerate(frames) if is_ours(each.filename)]
        lines = traceback.format_list(frames[ours[-1] + 1 if ours else 0 :])
        text = "".join(("Printed from (most recent call last):\n", *lines))
        self.traceback = printable(text[-TRACEBACK_LIMIT:], TRACEBACK_LIMIT)
        if self._on_first is not None:
            self._on_first(frame)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
