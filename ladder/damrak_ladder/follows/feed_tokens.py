"""Tokens of private feeds: the address is enough to read the feed, so it can be replaced.

The token is not stored. It is derived from a random salt and the key of the site.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.utils.crypto import constant_time_compare, salted_hmac

from damrak_ladder.accounts.models import User
from damrak_ladder.follows.models import NewsFeed
from damrak_ladder.notices.signatures import new_salt

_PURPOSE: Final = "damrak.follows.feed"
_DIGITS: Final = 40


def renew(user: User, now: datetime) -> str:
    """Create the feed of a user, or replace its token; return the token."""
    values = {"salt": new_salt(), "created": now}
    row, _is_new = NewsFeed.objects.update_or_create(user=user, defaults=values)
    return _token_of(row)


def end(user: User) -> None:
    """Delete the feed of a user, if there is one."""
    NewsFeed.objects.filter(user=user).delete()


def token_of(user: User) -> str:
    """Return the token of a user's feed; empty without one."""
    row = NewsFeed.objects.filter(user=user).first()
    return "" if row is None else _token_of(row)


def reader_of(token: str) -> User | None:
    """Return the active user to whose feed a token belongs; None if it is not valid."""
    key = token.partition("-")[0]
    if not (key.isascii() and key.isdecimal() and len(key) < 19):
        return None
    row = NewsFeed.objects.filter(pk=int(key), user__is_active=True).select_related("user").first()
    if row is None or not constant_time_compare(_token_of(row), token):
        return None
    return row.user


def _token_of(row: NewsFeed) -> str:
    digest = salted_hmac(_PURPOSE, row.salt, algorithm="sha256").hexdigest()
    return f"{row.pk}-{digest[:_DIGITS]}"
