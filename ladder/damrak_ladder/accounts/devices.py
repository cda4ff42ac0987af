"""Sign-in of a program through its user's browser (device login).

The program requests a pair of codes and shows the short one. Its user types that into a page while
signed in, sees the request, and approves it. The program polls with the long code until it is given
a token, once.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils.crypto import salted_hmac

from damrak_ladder.accounts.budgets import spend
from damrak_ladder.accounts.errors import DeviceRefused, LoginPending, TokenNameTaken
from damrak_ladder.accounts.models import ApiToken, DeviceLogin, DeviceState, Scope, User
from damrak_ladder.accounts.tokens import issue
from damrak_ladder.message_codes import account_codes as codes

GOOD_FOR: Final = timedelta(minutes=10)
POLL_SECONDS: Final = 3
TOKEN_LIFETIME: Final = timedelta(days=365)
SCOPES: Final = (Scope.READ, Scope.SUBMIT, Scope.PLAY)
"""The scopes of such a program's token."""

_LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so that no words appear
_LENGTH: Final = 8
_GUESSES: Final = 10  # in ten minutes
_NAME: Final = 50


@dataclass(frozen=True, slots=True)
class Codes:
    """The long code that the program keeps, and the short one that it shows."""

    long: str
    short: str
    expires: datetime


def begin(name: str, address: str, now: datetime) -> Codes:
    """Create a request by a program with this name and address; return its codes."""
    DeviceLogin.objects.filter(expires__lt=now - GOOD_FOR).delete()
    short = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
    long = secrets.token_urlsafe(32)
    expires = now + GOOD_FOR
    shown = "".join(letter for letter in name if letter.isprintable()).strip()
    DeviceLogin.objects.create(
        long_digest=_digest(long),
        short_digest=_digest(short),
        name=shown[:_NAME] or "damrak",
        address=address[:60],
        scopes=[str(scope) for scope in SCOPES],
        created=now,
        expires=expires,
    )
    return Codes(long, f"{short[:4]}-{short[4:]}", expires)


def find(user: User, code: str, now: datetime) -> DeviceLogin | None:
    """Return the request with this short code, if it is waiting for a decision.

    Raises:
        TooOften: this user has tried too many codes.
    """
    spend("device-code", str(user.pk), _GUESSES, int(GOOD_FOR.total_seconds()))
    waiting = DeviceLogin.objects.filter(state=DeviceState.WAITING, expires__gt=now)
    return waiting.filter(short_digest=_digest(_plain(code))).first()


def approve(user: User, code: str, now: datetime) -> DeviceLogin:
    """Let the program act for this user.

    Raises:
        DeviceRefused: there is no such request, or no longer.
        TooOften: this user has tried too many codes.
    """
    return _decide(user, code, DeviceState.APPROVED, now)


def refuse(user: User, code: str, now: datetime) -> DeviceLogin:
    """Refuse the program's request.

    Raises:
        DeviceRefused, TooOften
    """
    return _decide(user, code, DeviceState.REFUSED, now)


def collect(long: str, now: datetime) -> tuple[ApiToken, str]:
    """Return the token of an approved request, once.

    Raises:
        LoginPending: the user has not decided yet.
        DeviceRefused: it was refused, has expired, was collected before, or never existed.
        TooManyTokens: the user cannot have another token.
    """
    with transaction.atomic():
        kept = DeviceLogin.objects.select_for_update(no_key=True)
        login = kept.filter(long_digest=_digest(long)).first()
        if login is None:
            raise DeviceRefused(codes.UnknownSignIn())
        if login.state == DeviceState.REFUSED:
            raise DeviceRefused(codes.SignInRefused())
        if login.state == DeviceState.COLLECTED:
            raise DeviceRefused(codes.SignInCollected())
        if login.expires <= now:
            raise DeviceRefused(codes.SignInExpired())
        if login.state == DeviceState.WAITING or login.owner is None:
            raise LoginPending
        if not login.owner.is_active:
            raise DeviceRefused(codes.AccountClosed())
        login.state = DeviceState.COLLECTED
        login.save(update_fields=["state"])
        return _issue(login, now)


def _issue(login: DeviceLogin, now: datetime) -> tuple[ApiToken, str]:
    assert login.owner is not None
    for number in range(1, settings.DAMRAK_LIMITS.tokens + 2):
        name = login.name if number == 1 else f"{login.name} ({number})"
        try:
            return issue(login.owner, name, login.scopes, now, TOKEN_LIFETIME)
        except TokenNameTaken:
            continue
    raise TokenNameTaken(login.name)


def _decide(user: User, code: str, state: DeviceState, now: datetime) -> DeviceLogin:
    login = find(user, code, now)
    if login is None:
        raise DeviceRefused(codes.UnknownSignInCode())
    waiting = Q(pk=login.pk, state=DeviceState.WAITING, expires__gt=now)
    if not DeviceLogin.objects.filter(waiting).update(state=state, owner=user):
        raise DeviceRefused(codes.SignInDecided())
    login.state, login.owner = state, user
    return login


def _plain(code: str) -> str:
    return "".join(letter for letter in code.upper() if letter in _LETTERS)[: 2 * _LENGTH]


def _digest(code: str) -> str:
    # Keyed, as short codes could be recovered from a plain hash by brute force.
    return salted_hmac("damrak.device", code, algorithm="sha256").hexdigest()
