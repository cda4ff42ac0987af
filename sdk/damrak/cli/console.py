"""Consoles for text output: colours on a terminal only, and never with NO_COLOR."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

PIPED_WIDTH: Final = 110  # the width of files and pipes, which have no window
# All control characters except tab and line end, and characters that change text direction.
_STEERS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class OurConsole(Console):
    """A console that lets `main` handle a broken pipe.

    Names, notes and tracebacks come from strangers: control sequences in them are removed.
    """

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError for `main`."""
        raise BrokenPipeError

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render with control sequences removed from the text."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(harmless(text), style)


def harmless(text: str) -> str:
    """Return the text with all control characters but tabs and line ends replaced."""
    return _STEERS.sub("\N{REPLACEMENT CHARACTER}", text)


def out() -> Console:
    """Return a console for standard output."""
    return _console(stderr=False)


def err() -> Console:
    """Return a console for standard error, for progress and remarks."""
    return _console(stderr=True)


def remark(text: str) -> None:
    """Print a line on standard error."""
    err().print(Text(text), soft_wrap=True)


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH
    return OurConsole(stderr=stderr, highlight=False, emoji=False, markup=False, width=width)
