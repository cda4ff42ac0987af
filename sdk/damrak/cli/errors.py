"""Exit codes of the command line, and the exception for wrong usage."""

from __future__ import annotations

from typing import Final

OK: Final = 0
FAILED: Final = 1  # the command worked, and found a problem
MISUSED: Final = 2  # the command could not do what was asked
INTERRUPTED: Final = 130  # Ctrl-C
BROKEN_PIPE: Final = 141  # the reader of the output has gone


class Misuse(Exception):
    """The command was used wrongly; the message is one line to print."""
