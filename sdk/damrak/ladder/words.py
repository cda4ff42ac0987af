"""What strangers say, made fit for a terminal."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 600
_STRANGE: Final = "\N{REPLACEMENT CHARACTER}"


def plain(text: str) -> str:
    """The text in one line, without anything that a terminal would obey."""
    return printed(" ".join(text[: 4 * LONGEST].split()))


def printed(line: str) -> str:
    """A line as it is, without anything that a terminal would obey."""
    shown = line[:LONGEST].expandtabs(4)
    return "".join(sign if sign.isprintable() else _STRANGE for sign in shown)
