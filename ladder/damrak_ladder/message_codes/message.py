"""The base class of messages.

A message is a code with typed parameters. A subclass defines both:

    class TooManyBots(Message, code="too-many-bots"):
        limit: int

Its text is in `catalogue`. The style of a parameter decides how it is worded; see `wording`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Final, dataclass_transform, get_type_hints

Key = Annotated[int, "key"]
"""A number that identifies something, and so has no thousands separator."""

Signed = Annotated[int, "signed"]
"""A number with its sign."""

Probability = Annotated[float, "probability"]
"""A small probability with one significant digit."""

Label = Annotated[str, "label"]
"""A value of an enumeration, such as a state, which has a name in each language."""

Labels = Annotated[tuple[str, ...], "labels"]
"""Values of an enumeration."""

Suffix = Annotated[str, "suffix"]
"""Text of a program, such as an error message. Unless empty, it is appended after a colon."""

TEXT_LENGTH: Final = 500
"""The length at which stored texts are cut off."""

_NUL: Final = "\x00"
"""PostgreSQL cannot store this character."""

_CLASSES: Final[dict[str, type[Message]]] = {}
_TYPES: Final[dict[type[Message], Mapping[str, Any]]] = {}  # cached: pages word many messages


@dataclass_transform(frozen_default=True)
class Message:
    """A message: the class is its code, the fields are its parameters."""

    code: ClassVar[str]

    def __init_subclass__(cls, *, code: str) -> None:
        if code in _CLASSES:
            raise TypeError(f"two messages have the code {code}")
        cls.code = code
        _CLASSES[code] = cls
        dataclass(frozen=True)(cls)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in parameter_types(type(self))}

    def to_json(self) -> dict[str, Any]:
        """Return the message as JSON; long texts are cut off."""
        given = {name: _to_json(value) for name, value in self.parameters.items()}
        return {"code": self.code, "parameters": given}


class StoredText(Message, code="stored-text"):
    """A sentence that an earlier release stored, and that is not known."""

    text: str


class UnknownMessage(Message, code="unknown"):
    """A message that this release does not know, because another one stored it."""

    stored_code: str


def all_classes() -> Mapping[str, type[Message]]:
    """Return the classes of all messages by code; their modules must have been imported."""
    return dict(_CLASSES)


def parameter_types(kind: type[Message]) -> Mapping[str, Any]:
    """Return the types of the parameters of a class of messages."""
    found = _TYPES.get(kind)
    if found is None:
        hints = get_type_hints(kind, include_extras=True)
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
        found = _TYPES[kind] = {name: hints[name] for name in names}
    return found


def message_of(stored: Any) -> Message:
    """Return the message with this JSON form.

    Raises:
        ValueError: it is not the form of a known message.
    """
    code = stored.get("code") if isinstance(stored, dict) else None
    kind = _CLASSES.get(code) if isinstance(code, str) else None
    if kind is None:
        raise ValueError(f"not a known message: {stored!r}"[:200])
    given = stored.get("parameters")
    types = parameter_types(kind)
    if not isinstance(given, dict) or not given.keys() <= types.keys():
        raise ValueError(f"{kind.code}: unknown parameters")
    try:
        return kind(**{name: _from_json(value, types[name]) for name, value in given.items()})
    except TypeError as problem:
        raise ValueError(f"{kind.code}: {problem}") from None


def base_type(hint: Any) -> Any:
    """Return the type of a parameter without its style."""
    return hint.__origin__ if hasattr(hint, "__metadata__") else hint


def _to_json(value: Any) -> Any:
    if isinstance(value, Message):
        return value.to_json()
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no infinite numbers
    if isinstance(value, str):
        return str(value).replace(_NUL, "")[:TEXT_LENGTH]
    return value


def _from_json(value: Any, hint: Any) -> Any:
    kind = base_type(hint)
    if kind is Message:
        return message_of(value)
    if kind in (tuple[str, ...], tuple[Message, ...]):
        if not isinstance(value, list):
            raise ValueError(f"{value!r} is not a list")
        item = kind.__args__[0]
        return tuple(_from_json(one, item) for one in value)
    if kind is float and value is None:
        return math.inf
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"{value!r} is not of the type {kind.__name__}")
    return value
