"""A sample of every message."""

from __future__ import annotations

from typing import Any

from damrak_ladder.message_codes.catalogue import TEXTS
from damrak_ladder.message_codes.catalogue.labels import LABELS
from damrak_ladder.message_codes.message import Message, base_type, parameter_types

CLASSES = sorted(TEXTS, key=lambda kind: kind.code)


class Inner(Message, code="inner-sample"):
    """A message inside of another one."""

    text: str


def sample(kind: type[Message], number: int = 1234) -> Message:
    """Return a message with recognisable parameters, all of them different."""
    found: dict[str, Any] = {}
    for at, (name, hint) in enumerate(parameter_types(kind).items()):
        found[name] = _value(hint, f"<{name}>", number + at)
    return kind(**found)


def _value(hint: Any, name: str, number: int) -> Any:
    style = getattr(hint, "__metadata__", ("",))[0]
    base = base_type(hint)
    if style == "label":
        return next(iter(LABELS))
    if style == "labels":
        return tuple(list(LABELS)[:2])
    if base is Message:
        return Inner(name)
    if base == tuple[Message, ...]:
        return (Inner(name), Inner(f"{name}2"))
    if base == tuple[str, ...]:
        return (name, f"{name}2", f"{name}3")
    return {int: number, float: number + 0.5, str: name}[base]
