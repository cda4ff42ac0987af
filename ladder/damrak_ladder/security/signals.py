"""Recording of events announced by signals of Django and allauth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from django.contrib.auth import get_user_model, signals as auth
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q
from django.http import HttpRequest

from damrak_ladder.security.kinds import SecurityEvent
from damrak_ladder.security.recorder import record


def connect() -> None:
    """Connect receivers that record these signals."""
    auth.user_logged_in.connect(_signed_in, dispatch_uid="security")
    auth.user_logged_out.connect(_signed_out, dispatch_uid="security")
    auth.user_login_failed.connect(_sign_in_failed, dispatch_uid="security")
    for signal, kind in (
        (account.user_signed_up, SecurityEvent.ACCOUNT_CREATED),
        (account.password_set, SecurityEvent.PASSWORD_CHANGED),
        (account.password_changed, SecurityEvent.PASSWORD_CHANGED),
        (account.password_reset, SecurityEvent.PASSWORD_RESET),
    ):
        _connect(signal, _recorder(kind))
    account.email_added.connect(_email_added, dispatch_uid="security")
    account.email_changed.connect(_email_changed, dispatch_uid="security")
    account.email_removed.connect(_email_removed, dispatch_uid="security")
    mfa.authenticator_added.connect(_factor_added, dispatch_uid="security")
    mfa.authenticator_removed.connect(_factor_removed, dispatch_uid="security")
    mfa.authenticator_reset.connect(_factor_added, dispatch_uid="security")
    mfa.authentication_failed.connect(_factor_failed, dispatch_uid="security")


def _connect(signal: Any, receiver: Callable[..., None]) -> None:
    signal.connect(receiver, dispatch_uid="security", weak=False)


def _recorder(kind: SecurityEvent) -> Callable[..., None]:
    def receive(request: HttpRequest, user: AbstractBaseUser, **_: Any) -> None:
        record(kind, request=request, user=user)

    return receive


def _signed_in(request: HttpRequest, user: AbstractBaseUser, **_: Any) -> None:
    record(SecurityEvent.SIGN_IN, request=request, user=user)


def _signed_out(request: HttpRequest, user: AbstractBaseUser | None, **_: Any) -> None:
    if user is not None:  # a sign-out without a session ends nothing
        record(SecurityEvent.SESSION_ENDED, request=request, user=user)


def _sign_in_failed(
    credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any
) -> None:
    # Unknown names are not stored: people type passwords into that field.
    names = [str(credentials[key]) for key in ("username", "email") if credentials.get(key)]
    matching = Q(pk=None)
    for name in names:
        matching |= Q(username__iexact=name) | Q(email__iexact=name)
    user = get_user_model().objects.filter(matching).first() if names else None
    record(
        SecurityEvent.SIGN_IN_FAILED,
        request=request,
        user=user,
        detail={"reason": "wrong password" if user else "unknown name"},
    )


def _email_added(
    request: HttpRequest, user: AbstractBaseUser, email_address: Any, **_: Any
) -> None:
    detail = {"email": email_address.email}
    record(SecurityEvent.EMAIL_ADDED, request=request, user=user, detail=detail)


def _email_changed(
    request: HttpRequest,
    user: AbstractBaseUser,
    from_email_address: Any,
    to_email_address: Any,
    **_: Any,
) -> None:
    detail = {"to": to_email_address.email}
    if from_email_address is not None:
        detail["from"] = from_email_address.email
    record(SecurityEvent.EMAIL_CHANGED, request=request, user=user, detail=detail)


def _email_removed(
    request: HttpRequest, user: AbstractBaseUser, email_address: Any, **_: Any
) -> None:
    detail = {"email": email_address.email}
    record(SecurityEvent.EMAIL_REMOVED, request=request, user=user, detail=detail)


def _factor_added(
    request: HttpRequest, user: AbstractBaseUser, authenticator: Authenticator, **_: Any
) -> None:
    if authenticator.type == Authenticator.Type.RECOVERY_CODES:
        record(SecurityEvent.RECOVERY_CODES_MADE, request=request, user=user)
        return
    detail = {"factor": str(authenticator.type)}
    record(SecurityEvent.SECOND_FACTOR_ADDED, request=request, user=user, detail=detail)


def _factor_removed(
    request: HttpRequest, user: AbstractBaseUser, authenticator: Authenticator, **_: Any
) -> None:
    detail = {"factor": str(authenticator.type)}
    record(SecurityEvent.SECOND_FACTOR_REMOVED, request=request, user=user, detail=detail)


def _factor_failed(request: HttpRequest, user: AbstractBaseUser, **_: Any) -> None:
    detail = {"reason": "wrong code of the second factor"}
    record(SecurityEvent.SIGN_IN_FAILED, request=request, user=user, detail=detail)
