"""Types of parameters and request bodies, which are validated; named as in `types`."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator
from typing_extensions import TypeAliasType

from damrak_ladder.api.types import one_of
from damrak_ladder.notices import kinds as notices
from damrak_ladder.security import kinds as security

STORABLE: Final = r"^[^\x00]*$"
"""The pattern of texts that every database accepts in queries."""


def _iso(text: object) -> object:
    """Return the text if it begins with a date; numbers of seconds are not dates here."""
    if isinstance(text, str) and not re.match(r"\d{4}-\d{2}-\d{2}", text):
        raise ValueError("it is not in ISO 8601 format, such as 2030-01-31")
    return text


def _in_utc(moment: datetime) -> datetime:
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        raise ValueError("it is too far away") from None


VersionKind = TypeAliasType("VersionKind", Literal["uploaded", "remote", "house", "person"])
BlockState = TypeAliasType("BlockState", Literal["waiting", "running", "recorded", "dead"])
Channel = TypeAliasType("Channel", Literal["site", "mail", "webhook"])
Language = TypeAliasType("Language", Literal["en", "da", "nb", "nl", "fi", "pl"])
Purpose = TypeAliasType(
    "Purpose", Literal["ladder", "qualification", "canary", "test", "tournament", "play"]
)
Result = TypeAliasType("Result", Literal["won", "tied", "lost"])
Role = TypeAliasType("Role", Literal["author", "organiser", "staff"])
Pace = TypeAliasType("Pace", Literal["calm", "brisk", "blitz"])
Advice = TypeAliasType("Advice", Literal["hint", "planner"])
NoticeKind = TypeAliasType(
    "NoticeKind", Annotated[str, AfterValidator(notices.Kind), one_of(notices.Kind)]
)
SecurityEvent = TypeAliasType(
    "SecurityEvent",
    Annotated[str, AfterValidator(security.SecurityEvent), one_of(security.SecurityEvent)],
)

Moment = Annotated[datetime, BeforeValidator(_iso), AfterValidator(_in_utc)]
"""A time in ISO 8601 format; without an offset it is in UTC."""
Day = Annotated[date, BeforeValidator(_iso)]
"""A day in ISO 8601 format."""
