"""Text without characters that steer a terminal or turn the direction of writing.

Names, notes, logs and messages come from users. Pages, mails, feeds, JSON and the terminal pass
what they write through here, each at one place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

# C0 and C1 controls except tab and line ends; marks, embeddings, overrides and isolates of
# direction.
_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def plain_text(text: str) -> str:
    """The text without those characters."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub("", text)


def plain_values(value: Any) -> Any:
    """A value for JSON, with all texts in it plain."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, Mapping):
        return {plain_values(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    return value
