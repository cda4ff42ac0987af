"""Summaries of the ladders of a new installation, and their translations.

Operators may write summaries of their own, which are shown as they are.
"""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext, gettext_noop

from damrak_ladder.matches.models import Ladder

CLASSIC: Final = gettext_noop("Two players on the board Amsterdam: the classic.")
DAILY_BOARDS: Final = gettext_noop(
    "Two, three and four players on boards that did not exist yesterday."
)

_STANDARD: Final = frozenset({CLASSIC, DAILY_BOARDS})


def summary_of(ladder: Ladder) -> str:
    """Return the summary of a ladder; a standard one in the reader's language."""
    return gettext(ladder.summary) if ladder.summary in _STANDARD else ladder.summary
