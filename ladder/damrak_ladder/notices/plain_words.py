"""Translation of messages of lower layers into the reader's language.

Errors, reasons and the steps of a version are written in English: for logs, the terminal and the
API. Pages and notices translate them here; unknown messages are shown unchanged.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from django.utils.formats import number_format

from damrak_ladder.notices.sayings import SAID

INNER: Final = "inner"
"""The name of a group that is translated itself."""

LIST: Final = "list"
"""The name of a group whose comma-separated items are translated."""

_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})+|\d+\.\d+")
"""Numbers in English notation: 1,234 or 1.5."""

_PATTERNS: Final = [(re.compile(pattern, re.DOTALL), words) for pattern, words in SAID]


def in_words(said: object) -> str:
    """Return this message in the reader's language if it is known, else unchanged."""
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
    """Return a number in the reader's notation, and any other text unchanged."""
    if not _NUMBER.fullmatch(part):
        return part
    number = Decimal(part.replace(",", ""))
    return number_format(number, force_grouping=True)
