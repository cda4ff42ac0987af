"""Texts from strangers, made safe for a terminal."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 600
_STRANGE: Final = "\N{REPLACEMENT CHARACTER}"


def plain(text: str) -> str:
    """Return the text as one line of limited length, without control characters."""
    return printed(" ".join(text[: 4 * LONGEST].split()))


def printed(line: str) -> str:
    """Return a line of limited length without control characters."""
    shown = line[:LONGEST].expandtabs(4)
    return "".join(sign if sign.isprintable() else _STRANGE for sign in shown)
