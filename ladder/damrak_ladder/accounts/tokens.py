"""API tokens of programs: creation, verification and revocation.

Only the SHA-256 of a token is stored. As a token has 256 random bits, it cannot be guessed, a slow
hash would not add protection, and finding it by its digest leaks no timing information.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.dispatch import Signal

from damrak_ladder.accounts.errors import (
    ScopeMissing,
    TokenNameTaken,
    TokenRefused,
    TooManyTokens,
    UnknownScope,
)
from damrak_ladder.accounts.models import ApiToken, DeviceLogin, Scope, User
from damrak_ladder.message_codes import account_codes as codes
from damrak_ladder.security import SecurityEvent, record

MARK: Final = "damrak_"
"""The prefix of tokens, so that scanners for leaked secrets can find them."""

USE_NOTED_EVERY: Final = timedelta(minutes=1)
"""The precision of the time of last use, so that most requests need not write."""

all_revoked: Final = Signal()
"""Sent with `user` and `now` inside the transaction that revokes all tokens of a user."""

_RANDOM_BYTES: Final = 32
HINT: Final = len(MARK) + 4
"""The number of characters that are shown, to recognise a token."""


def issue(
    owner: User,
    name: str,
    scopes: Collection[str],
    now: datetime,
    lifetime: timedelta | None = None,
) -> tuple[ApiToken, str]:
    """Create a token; return it and its secret, which is not stored.

    Raises:
        UnknownScope, TokenNameTaken, TooManyTokens
    """
    if not scopes or not set(scopes) <= set(Scope.values):
        raise UnknownScope(sorted(set(scopes) - set(Scope.values)), Scope.values)
    secret = MARK + secrets.token_urlsafe(_RANDOM_BYTES)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(
            pk=owner.pk
        )  # concurrent calls must count each other
        kept = ApiToken.objects.filter(owner=owner, revoked=None)
        if kept.filter(name=name).exists():
            raise TokenNameTaken(name)
        if kept.count() >= settings.DAMRAK_LIMITS.tokens:
            raise TooManyTokens(settings.DAMRAK_LIMITS.tokens)
        token = ApiToken.objects.create(
            owner=owner,
            name=name,
            scopes=sorted(set(scopes)),
            digest=_digest(secret),
            hint=secret[:HINT],
            created=now,
            expires=None if lifetime is None else now + lifetime,
        )
        detail = {"token": token.name, "hint": token.hint, "scopes": token.scopes}
        record(SecurityEvent.TOKEN_CREATED, user=owner, detail=detail)
    return token, secret


def verify(secret: str, scope: Scope, now: datetime, *others: Scope) -> ApiToken:
    """Return the token with this secret, with its owner, if it has one of these scopes.

    It takes two queries at most.

    Raises:
        TokenRefused: the message reveals no more than the owner of the token may know.
        ScopeMissing: it is valid, but lacks the scope.
    """
    token = ApiToken.objects.select_related("owner").filter(digest=_digest(secret)).first()
    if token is None or not token.is_good(now) or not token.owner.is_active:
        raise TokenRefused(codes.InvalidToken())
    if not {scope, *others} & set(token.scopes):
        raise ScopeMissing(scope)
    if token.last_used is None or now - token.last_used >= USE_NOTED_EVERY:
        stale = Q(last_used=None) | Q(last_used__lt=now)
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used=now)
        token.last_used = now
    return token


def revoke(owner: User, token_id: int, now: datetime) -> bool:
    """Revoke a token of this owner permanently; return whether it was not revoked before."""
    good = ApiToken.objects.filter(owner=owner, pk=token_id, revoked=None)
    token = good.first()
    if token is None or not good.update(revoked=now):
        return False
    detail = {"token": token.name, "hint": token.hint}
    record(SecurityEvent.TOKEN_REVOKED, user=owner, detail=detail)
    return True


def revoke_all(user: User, now: datetime) -> int:
    """Revoke every token of this user, and return how many API tokens there were.

    This includes the tokens of remote bots and pending sign-ins of programs.
    """
    with transaction.atomic():
        revoked = ApiToken.objects.filter(owner=user, revoked=None).update(revoked=now)
        DeviceLogin.objects.filter(owner=user).delete()
        all_revoked.send(sender=User, user=user, now=now)
        record(SecurityEvent.TOKEN_REVOKED, user=user, detail={"all": True, "tokens": revoked})
    return revoked


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
