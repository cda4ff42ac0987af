"""What the layers below say in English, in the reader's language.

Errors, reasons and the steps of a version are written in English: for logs, the terminal and the
API. Pages and notices look their words up here; what is not there they show as it is.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from django.utils.formats import number_format

from damrak_ladder.notices.sayings import SAID

INNER: Final = "inner"
"""A part of this name is looked up likewise."""

LIST: Final = "list"
"""And each piece of one of this name."""

_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})+|\d+\.\d+")
"""As they are written in English: 1,234 or 1.5."""

_PATTERNS: Final = [(re.compile(pattern, re.DOTALL), words) for pattern, words in SAID]


def in_words(said: object) -> str:
    """This sentence, or this error's, in the reader's language if it is a known one."""
    text = str(said)
    for pattern, words in _PATTERNS:
        if found := pattern.fullmatch(text):
            parts = found.groupdict(default="")
            if INNER in parts:
                parts[INNER] = in_words(parts[INNER])
            if LIST in parts:
                parts[LIST] = ", ".join(in_words(item) for item in parts[LIST].split(", "))
            return str(words) % {name: _localised(part) for name, part in parts.items()}
    return text


def _localised(part: str) -> str:
    """The same, or if it is a number that English writes in its own way, as the reader does."""
    if not _NUMBER.fullmatch(part):
        return part
    number = Decimal(part.replace(",", ""))
    return number_format(number, force_grouping=True)
