"""Where text for people goes: colours on a terminal only, and never with NO_COLOR."""

from __future__ import annotations

import sys
from typing import Final

from rich.console import Console
from rich.text import Text

PIPED_WIDTH: Final = 110  # nobody's window limits a file


class OurConsole(Console):
    """A console that leaves it to `main` what to do when its reader has gone."""

    def on_broken_pipe(self) -> None:
        """Tell `main`."""
        raise BrokenPipeError


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
