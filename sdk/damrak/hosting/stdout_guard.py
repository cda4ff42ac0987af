"""Detection of output to standard output: records the first text and where it was printed."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TextIO

from damrak.hosting.faults import TRACEBACK_LIMIT, is_ours
from damrak_engine.effects import printable

WORDS: Final = 60  # number of characters that are quoted
REASON: Final = "output"  # not a reason of the engine, because it does not end a match


class WatchedStdout:
    """A text stream that forwards its input, and records the first text and its place."""

    def __init__(self, stream: TextIO, on_first: Callable[[FrameType], None] | None = None) -> None:
        self.stream = stream
        self.detail = ""  # the first text in one line, or an empty string
        self.traceback = ""
        self._on_first = on_first

    def write(self, text: str) -> int:
        """Forward text, recording it if it is the first."""
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
