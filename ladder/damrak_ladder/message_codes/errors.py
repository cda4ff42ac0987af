"""The base class of exceptions with a message."""

from __future__ import annotations

from damrak_ladder.message_codes.message import Message
from damrak_ladder.message_codes.wording import english


class MessageError(Exception):
    """An exception with a message; as text it is the message in English."""

    def __init__(self, message: Message) -> None:
        if not isinstance(message, Message):
            raise TypeError(f"{type(self).__name__} needs a message, not {message!r}")
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return english(self.message)
