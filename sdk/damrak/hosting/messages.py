"""Messages of a child: one JSON object per line in a known form; anything else is a fault.

A bot shares its process with the code that sends these messages, so they are untrusted: the length
of lines and the types of all fields are checked, and nothing is ever unpickled.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from damrak.hosting.faults import (
    DETAIL_LIMIT,
    TRACEBACK_LIMIT,
    Answer,
    BotFault,
    Chosen,
    Nonsense,
)
from damrak_engine.events import NOTE_LIMIT

LINE_LIMIT: Final = 256 * 1024
NAME_LIMIT: Final = 64


@dataclass(frozen=True, slots=True)
class Ready:
    """The bot has been created and started."""

    name: str


@dataclass(frozen=True, slots=True)
class Decided:
    """The answer to the question with this number."""

    decision: int
    answer: Chosen | Nonsense


@dataclass(frozen=True, slots=True)
class Done:
    """The bot has received the result."""


@dataclass(frozen=True, slots=True)
class Printed:
    """The bot printed to standard output. The child sends its last message after another frame."""

    detail: str
    traceback: str


Message = Ready | Decided | BotFault | Printed | Done


class ProtocolError(ValueError):
    """A line that the child's own code never writes."""


def line_of(message: Message) -> bytes:
    """Return the message as a line."""
    match message:
        case Decided(decision, Chosen(action, note)):
            value: dict[str, Any] = {"decision": decision, "action": action, "note": note}
        case Decided(decision, Nonsense(what)):
            value = {"decision": decision, "nonsense": what}
        case Ready(name):
            value = {"ready": name}
        case BotFault(reason, detail, trace):
            value = {"reason": reason, "detail": detail, "traceback": trace}
        case Printed(detail, trace):
            value = {"printed": detail, "traceback": trace}
        case Done():
            value = {"done": True}
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def parse_line(line: bytes) -> Message:
    """Return the message on this line.

    Raises:
        ProtocolError: the line is malformed.
    """
    try:
        value = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):  # RecursionError: deeply nested brackets
        raise ProtocolError(f"not a line of JSON: {_excerpt(line)}") from None
    if type(value) is not dict:
        raise ProtocolError(f"not a JSON object: {_excerpt(line)}")
    keys = value.keys()
    if keys == {"decision", "action", "note"}:
        note = None if value["note"] is None else _text(value, "note", NOTE_LIMIT)
        return Decided(_number(value, "decision"), Chosen(_number(value, "action"), note))
    if keys == {"decision", "nonsense"}:
        what = _text(value, "nonsense", DETAIL_LIMIT)
        return Decided(_number(value, "decision"), Nonsense(what))
    if keys == {"ready"}:
        return Ready(_text(value, "ready", NAME_LIMIT))
    if keys == {"reason", "detail", "traceback"}:
        if value["reason"] not in ("crash", "memory"):
            raise ProtocolError("a reason that bots cannot give")
        detail = _text(value, "detail", DETAIL_LIMIT)
        return BotFault(value["reason"], detail, _text(value, "traceback", TRACEBACK_LIMIT))
    if keys == {"printed", "traceback"}:
        detail = _text(value, "printed", DETAIL_LIMIT)
        return Printed(detail, _text(value, "traceback", TRACEBACK_LIMIT))
    if keys == {"done"} and value["done"] is True:
        return Done()
    raise ProtocolError(f"an unknown message: {_excerpt(line)}")


def answer_to(decision: int, line: bytes) -> Answer:
    """Return the answer to this question on a line.

    Raises:
        ProtocolError: the line contains anything else.
    """
    message = parse_line(line)
    if isinstance(message, BotFault):
        return message
    if isinstance(message, Decided) and message.decision == decision:
        return message.answer
    raise ProtocolError(f"no answer to the question that was asked: {_excerpt(line)}")


def _number(value: dict[str, Any], name: str) -> int:
    number = value[name]
    if type(number) is int and 0 <= number < 1 << 31:
        return number
    raise ProtocolError(f"{name} is no number")


def _text(value: dict[str, Any], name: str, limit: int) -> str:
    text = value[name]
    if not isinstance(text, str) or len(text) > limit:
        raise ProtocolError(f"{name} is no text of at most {limit} characters")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ProtocolError(f"{name} holds half a character") from None
    return text


def _excerpt(line: bytes) -> str:
    return repr(line[:40])[1:]
