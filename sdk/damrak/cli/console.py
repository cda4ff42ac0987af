"""Where text for people goes: colours on a terminal only, and never with NO_COLOR."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

PIPED_WIDTH: Final = 110  # nobody's window limits a file
# All controls but tabs and line ends, and what turns the direction of writing.
_STEERS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class OurConsole(Console):
    """A console that leaves it to `main` what to do when its reader has gone.

    Names, notes and tracebacks are strangers': nothing in them steers the terminal.
    """

    def on_broken_pipe(self) -> None:
        """Tell `main`."""
        raise BrokenPipeError

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """What is printed for this, whose text is harmless."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(harmless(text), style)


def harmless(text: str) -> str:
    """The text without anything that a terminal would obey, but for tabs and line ends."""
    return _STEERS.sub("\N{REPLACEMENT CHARACTER}", text)


def out() -> Console:
    """Standard output."""
    return _console(stderr=False)


def err() -> Console:
    """Standard error, for progress and remarks."""
    return _console(stderr=True)


def remark(text: str) -> None:
    """Say something on standard error, on one line of its own."""
    err().print(Text(text), soft_wrap=True)


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH
    return OurConsole(stderr=stderr, highlight=False, emoji=False, markup=False, width=width)
