"""Known browsers: a signed cookie that names the users who have signed in with a browser.

It grants nothing by itself: failed sign-ins from elsewhere do not block a known browser.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import signals as auth
from django.core import signing
from django.http import HttpRequest, HttpResponse

from damrak_ladder.accounts.models import User

COOKIE: Final = "known_browser"
MAX_AGE: Final = 31_536_000
_SALT: Final = "damrak.known-browser"
_USERS: Final = 5
_ATTRIBUTE: Final = "_newly_known_user"


def browser_of(request: HttpRequest, user: User) -> str | None:
    """Return the identity of the browser, if this user is known to have used it."""
    identity, users = _read(request)
    return identity if user.pk in users else None


def remember(request: HttpRequest | None, user: Any, **_: Any) -> None:
    """Mark the browser, in the response to this request, as used by this user."""
    if request is not None and isinstance(user, User):
        setattr(request, _ATTRIBUTE, user.pk)


def connect() -> None:
    """Connect the signals of sign-in and of password reset, which is proved by a mailed link."""
    from allauth.account import signals as account

    auth.user_logged_in.connect(remember, dispatch_uid="known-browser")
    account.password_reset.connect(remember, dispatch_uid="known-browser")


class KnownBrowserMiddleware:
    """Middleware that sets the cookie after a sign-in or a password reset."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response, with the cookie if necessary."""
        response = self._get_response(request)
        user_id = getattr(request, _ATTRIBUTE, None)
        if user_id is not None:
            identity, users = _read(request)
            users = [user_id, *(user for user in users if user != user_id)][:_USERS]
            response.set_cookie(
                COOKIE,
                signing.dumps({"id": identity, "users": users}, salt=_SALT),
                max_age=MAX_AGE,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response


def _read(request: HttpRequest) -> tuple[str, list[int]]:
    try:
        said = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=MAX_AGE)
        return str(said["id"]), [int(user) for user in said["users"]]
    except (signing.BadSignature, ValueError, KeyError, TypeError):
        return secrets.token_urlsafe(16), []
