"""The adapter of django-allauth: sign-in limits, mails and registration."""

from __future__ import annotations

import logging
import time
from typing import Any, Final

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.core import context as current
from allauth.core.exceptions import ImmediateHttpResponse
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language, gettext as _

from damrak_ladder.accounts.lockouts import LockedOut, count_attempt, key_of
from damrak_ladder.accounts.models import User
from damrak_ladder.security import SecurityEvent, record

PROOFS: Final = frozenset({"password", "mfa"})
"""Methods by which users authenticate."""

SENT: Final = "account/messages/email_confirmation_sent.txt"

_log = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """An adapter that stores the language of a registration and tolerates mail failures.

    If the mail server is unreachable, users can request the mail again later.
    """

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail, or show the user a message that it could not be sent."""
        try:
            super().send_mail(template_prefix, email, context)
        except OSError:
            # The reason is only for the operator.
            _log.warning("mail_refused", exc_info=True)
            words = _("The mail server refused the mail or could not be reached.")
            messages.error(current.request, words)
            current.request.mail_was_refused = True

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse the attempt after too many failures."""
        try:
            self._login_failed_rl_usage = count_attempt(request, _login_in(credentials))
        except LockedOut as problem:
            detail = {"retry_after": problem.retry_after}
            record(SecurityEvent.LOCKOUT, request=request, user=problem.user, detail=detail)
            raise ImmediateHttpResponse(_locked(request, problem)) from None

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        return key_of(request, _login_in(credentials))

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *more: Any,
        **named: Any,
    ) -> None:
        """Show a message on the next page, unless it claims that a failed mail was sent."""
        was_refused = getattr(current.request, "mail_was_refused", False)
        if not (was_refused and message_template == SENT):
            super().add_message(request, level, message_template, *more, **named)

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Return whether users have to authenticate again.

        A sign-in with password or second factor counts for as long as a confirmation does, so that
        `damrak login` does not ask for the password twice.
        """
        oldest = time.time() - app_settings.REAUTHENTICATION_TIMEOUT
        records = get_authentication_records(current.request, current.request.user)
        if any(one["method"] in PROOFS and one["at"] > oldest for one in records):
            return False
        return bool(super().is_reauthentication_required(app=app, **more))

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Save the new user with the language of the form, which is used for mails."""
        user.language = get_language() or "en"
        super().save_user(request, user, form, commit)
        return user


def _login_in(credentials: dict[str, Any]) -> str:
    return str(credentials.get("email") or credentials.get("username") or "")


def _locked(request: HttpRequest, problem: LockedOut) -> HttpResponse:
    minutes = max(1, round(problem.retry_after / 60))
    response = render(request, "account/locked.html", {"minutes": minutes}, status=429)
    response.headers["Retry-After"] = str(problem.retry_after)
    response.headers["Cache-Control"] = "no-store"
    return response
