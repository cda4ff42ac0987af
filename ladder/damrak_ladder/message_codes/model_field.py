"""A model field that stores a message as JSON; NULL if there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

from damrak_ladder.message_codes.message import Message, UnknownMessage, message_of

if TYPE_CHECKING:
    _Base = models.JSONField[Message | None, Message | None]
else:
    _Base = models.JSONField  # at run time it takes no parameters


class MessageField(_Base):
    """A field for a message."""

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("null", True)
        options.setdefault("blank", True)
        super().__init__(*args, **options)

    def get_prep_value(self, value: Any) -> Any:
        """Return the JSON form of the message.

        Raises:
            TypeError: the value is not a message.
        """
        if isinstance(value, Message):
            return super().get_prep_value(value.to_json())
        if isinstance(value, (str, dict)):
            raise TypeError(f"{self.name} needs a message, not {value!r}")
        return super().get_prep_value(value)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """Return the message; another release may have stored one that is not known here."""
        stored = super().from_db_value(value, expression, connection)
        if stored is None:
            return None
        try:
            return message_of(stored)
        except ValueError:
            code = stored.get("code", "") if isinstance(stored, dict) else ""
            return UnknownMessage(stored_code=str(code))
