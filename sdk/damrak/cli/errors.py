"""What the command line says when it was used wrongly, and how every command ends."""

from __future__ import annotations

from typing import Final

OK: Final = 0
FAILED: Final = 1  # the command worked, and what it looked at is not right
MISUSED: Final = 2  # the command could not do what was asked
INTERRUPTED: Final = 130  # Ctrl-C
BROKEN_PIPE: Final = 141  # whoever read our output has gone


class Misuse(Exception):
    """The command cannot be carried out as given; the message is the one line to print."""
