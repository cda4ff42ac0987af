"""Messages of streams, as server-sent events or as lines of JSON (NDJSON)."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from damrak_ladder.plain_text import plain_text


class Encoding(Enum):
    """The encoding of a stream, by its content type."""

    SSE = "text/event-stream"
    NDJSON = "application/x-ndjson"


class Message:
    """A message with its token; each encoding is made once for all streams."""

    __slots__ = ("_encoded", "_said", "token")

    def __init__(self, said: dict[str, Any], token: str) -> None:
        self.token = token
        self._said = said
        self._encoded: dict[Encoding, bytes] = {}

    def encoded(self, encoding: Encoding) -> bytes:
        """Return the bytes of the message."""
        if encoding not in self._encoded:
            said = {"token": self.token, **self._said}
            text = plain_text(json.dumps(said, ensure_ascii=False, separators=(",", ":")))
            if encoding is Encoding.SSE:
                text = f"id: {self.token}\nevent: {self._said['type']}\ndata: {text}\n"
            self._encoded[encoding] = text.encode() + b"\n"
        return self._encoded[encoding]


def opening(token: str) -> Message:
    """Return the first message of a stream, with the token of its beginning."""
    return Message({"type": "open"}, token)


def heartbeat(token: str) -> Message:
    """Return the message that is sent while nothing happens."""
    return Message({"type": "heartbeat"}, token)


def ending(token: str, reason: str) -> Message:
    """Return the last message of a stream."""
    return Message({"type": "end", "reason": reason}, token)
