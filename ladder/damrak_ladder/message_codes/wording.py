"""The text of a message in a language, with its numbers and lists in the notation of that language.

A list of texts is joined with "and", a list of messages with commas.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import override, pgettext

from damrak_ladder.message_codes.catalogue import TEXTS
from damrak_ladder.message_codes.catalogue.labels import LABELS
from damrak_ladder.message_codes.message import Message, base_type, parameter_types


def text_of(message: Message) -> str:
    """Return the text of a message in the reader's language."""
    kind = type(message)
    given = message.parameters
    worded = {name: _worded(given[name], hint) for name, hint in parameter_types(kind).items()}
    return str(TEXTS[kind] % worded)


def text_or_empty(message: Message | None) -> str:
    """Return the text of a message in the reader's language; empty without a message."""
    return "" if message is None else text_of(message)


def english(message: Message | None) -> str:
    """Return the text of a message in English, for logs and programs; empty without a message."""
    if message is None:
        return ""
    with override("en"):
        return text_of(message)


class _Count(int):
    """A number in the reader's notation that still selects a plural form."""

    def __str__(self) -> str:
        return number_format(int(self), force_grouping=True)


def _worded(value: Any, hint: Any) -> Any:
    for style in getattr(hint, "__metadata__", ()):
        return _styled(value, style)
    kind = base_type(hint)
    if kind is Message:
        return text_of(value)
    if kind == tuple[Message, ...]:
        return ", ".join(map(text_of, value))
    if kind == tuple[str, ...]:
        return _joined(value)
    if kind is int:
        return _Count(value)
    if kind is float:
        return _decimal(value)
    return value


def _joined(texts: Iterable[str]) -> str:
    # Translators: the last two items of a list, as in "greedy, random and planner".
    return get_text_list(list(texts), pgettext("list", "and"))


def _styled(value: Any, style: str) -> str:
    match style:
        case "signed":
            return f"{value:+d}"
        case "probability":
            return f"{value:.0e}"
        case "label":
            return str(LABELS.get(value, value))
        case "labels":
            return _joined(str(LABELS.get(one, one)) for one in value)
        case "suffix":
            return f": {value}" if value else ""
    return str(value)  # "key"


def _decimal(value: float) -> str:
    """Return a number with three significant digits; those before the point are all shown."""
    if not math.isfinite(value):
        return "∞"
    digits = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    return number_format(f"{value:.{digits}f}", force_grouping=True)
