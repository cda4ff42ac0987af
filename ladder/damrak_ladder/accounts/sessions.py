"""Sessions: where users are signed in, and since when.

django-allauth keeps the list. Its own middleware writes a row with every request; this one does so
every few minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from damrak_ladder.accounts.models import User
from damrak_ladder.security import SecurityEvent, record

NOTED_EVERY: Final = timedelta(minutes=5)
"""The precision of the time of last use."""


class SessionActivityMiddleware:
    """Middleware that records the time and origin of each session's last use."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response. A page that does not use the session costs no query here."""
        response = self._get_response(request)
        has_session = settings.SESSION_COOKIE_NAME in request.COOKIES and request.session.accessed
        if has_session and request.session.session_key and request.user.is_authenticated:
            _note_use(request)
        return response


class SessionsAdapter(DefaultUserSessionsAdapter):  # type: ignore[misc]
    """An adapter that records sessions ended on allauth's own page."""

    def end_sessions(self, sessions: list[UserSession]) -> None:
        """End these sessions of one user."""
        super().end_sessions(sessions)
        _record_end(sessions)


def end_session(user: User, pk: int) -> bool:
    """End one session of this user; return whether it existed."""
    session = UserSession.objects.filter(user=user, pk=pk).first()
    if session is None:
        return False
    session.end()
    _record_end([session])
    return True


def end_sessions(user: User, keep: str | None = None) -> int:
    """End all sessions of this user except the one with the key `keep`; return their number."""
    sessions = list(UserSession.objects.filter(user=user).exclude(session_key=keep or ""))
    for session in sessions:
        session.end()
    _record_end(sessions)
    return len(sessions)


def on_password_change(request: HttpRequest, user: User, **more: object) -> None:
    """End the user's other sessions. Django refuses them anyway; this deletes them."""
    end_sessions(user, request.session.session_key if request.user == user else None)


def device_name(user_agent: str) -> str:
    """Return a short name of a browser and its system, such as "Firefox, Linux".

    If neither is known, return the text unchanged.
    """
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), None)
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), None)
    return ", ".join(filter(None, (browser, system))) or user_agent


def _record_end(sessions: list[UserSession]) -> None:
    if sessions:
        detail = {"sessions": len(sessions), "used_from": sorted({one.ip for one in sessions})[:5]}
        record(SecurityEvent.SESSION_ENDED, user=sessions[0].user, detail=detail)


def _note_use(request: HttpRequest) -> None:
    recent = UserSession.objects.filter(
        session_key=request.session.session_key,
        user=request.user.pk,
        last_seen_at__gt=timezone.now() - NOTED_EVERY,
    )
    if not recent.exists():
        UserSession.objects.create_from_request(request)


# The order matters: most browsers name others that they resemble.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
