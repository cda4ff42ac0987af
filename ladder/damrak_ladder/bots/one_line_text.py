"""Clean-up of names and notes from authors, so that every page can show them."""

from __future__ import annotations


def one_line(text: str) -> str:
    """Return the text in one line, without non-printable characters.

    Those could reverse the text of a page, and databases and feeds do not accept all of them.
    """
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())
