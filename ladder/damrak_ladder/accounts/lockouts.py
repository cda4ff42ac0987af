"""Limits for failed sign-ins (docs/adr/0021-limits-for-failed-sign-ins.md).

Failures are counted by account and address, and by account alone with a wider limit. A browser in
which the account has signed in before, or has reset its password, has a limit of its own, so that
other people's failures do not block it. A successful sign-in is not counted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from allauth.account.internal.userkit import filter_users_by_email
from allauth.core.internal import ratelimit
from allauth.core.internal.ratelimit import RateLimitUsage
from django.core.cache import cache
from django.http import HttpRequest

from damrak_ladder.accounts.budgets import network
from damrak_ladder.accounts.known_browsers import browser_of
from damrak_ladder.accounts.models import User

_APP: Final = "allauth.account"


class LockedOut(Exception):
    """There were too many failures; try again after `retry_after` seconds."""

    def __init__(self, retry_after: int, user: User | None) -> None:
        super().__init__(f"too many failed sign-ins; try again in {retry_after} s")
        self.retry_after = retry_after
        self.user = user


@dataclass(frozen=True, slots=True)
class _Limit:
    action: str
    key: str


def user_of(login: str) -> User | None:
    """Return the user who signs in with this name or address."""
    by_name = User.objects.filter(username__iexact=login).first()
    if by_name is not None or "@" not in login:
        return by_name
    found = filter_users_by_email(login, prefer_verified=True)
    return found[0] if found else None


def key_of(request: HttpRequest, login: str) -> str:
    """Return the key by which failures are counted: the account and the client's address."""
    return f"{_account(login, user_of(login))}:{network(request.META.get('REMOTE_ADDR', ''))}"


def count_attempt(request: HttpRequest, login: str) -> RateLimitUsage:
    """Count an attempt as a failure, until it is rolled back.

    Raises:
        LockedOut
    """
    user = user_of(login)
    counted = RateLimitUsage(usage=[])
    for limit in _limits(request, login, user):
        usage = ratelimit.consume(request, app=_APP, action=limit.action, key=limit.key)
        if usage is None:
            counted.rollback()
            raise LockedOut(_retry_after(request, limit), user)
        counted.usage.extend(usage.usage)
    return counted


def _limits(request: HttpRequest, login: str, user: User | None) -> list[_Limit]:
    account = _account(login, user)
    browser = None if user is None else browser_of(request, user)
    if browser is not None:
        return [_Limit("login_failed_browser", f"{account}:{browser}")]
    return [
        _Limit("login_failed", key_of(request, login)),
        _Limit("login_failed_name", account),
    ]


def _account(login: str, user: User | None) -> str:
    # One count for all names of an account, as separate ones would allow more attempts.
    return f"name {login.lower()}" if user is None else f"user {user.pk}"


def _retry_after(request: HttpRequest, limit: _Limit) -> int:
    now, waits = time.time(), [1.0]
    for rate in ratelimit.get_rates(app=_APP, action=limit.action):
        key = ratelimit.get_cache_key(
            request, app=_APP, action=limit.action, rate=rate, key=limit.key
        )
        attempts = [at for at in cache.get(key, []) if at > now - rate.duration]
        if len(attempts) >= rate.amount:
            waits.append(min(attempts) + rate.duration - now)
    return int(max(waits)) + 1
