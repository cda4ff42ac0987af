"""What authors call their bots and say of their versions, as every page can show it."""

from __future__ import annotations


def one_line(text: str) -> str:
    """The text in one line, without characters that nobody can see: they could turn a page around,
    and neither databases nor feeds take all of them."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())
