"""Removal of characters that control a terminal or the direction of writing.

Names, notes, logs and messages come from users. Pages, mails, feeds, JSON and the terminal clean
their output here, each in one place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

# C0 and C1 controls except tab and line ends; directional marks, embeddings, overrides and
# isolates.
_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def plain_text(text: str) -> str:
    """Return the text without those characters."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub("", text)


def plain_values(value: Any) -> Any:
    """Return a JSON value with all its texts cleaned."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, Mapping):
        return {plain_values(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    return value
