"""What the accounts package asks us while somebody registers."""

from __future__ import annotations

import logging
from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as current
from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import get_language, gettext as _

from damrak_ladder.accounts.models import User

SENT: Final = "account/messages/email_confirmation_sent.txt"

_log = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """The usual one, but it remembers the language in which somebody registered, and does without
    a mail server that is away: whoever asks again later is sent the mail again."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail, or tell whoever waits for it that it could not be sent."""
        try:
            super().send_mail(template_prefix, email, context)
        except OSError:
            # Why is for the operator's eyes.
            _log.warning("mail_refused", exc_info=True)
            words = _("The mail server refused the mail or could not be reached.")
            messages.error(current.request, words)
            current.request.mail_was_refused = True

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        *more: Any,
        **named: Any,
    ) -> None:
        """Say something on the next page, but not that a mail was sent which was not."""
        was_refused = getattr(current.request, "mail_was_refused", False)
        if not (was_refused and message_template == SENT):
            super().add_message(request, level, message_template, *more, **named)

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """The new user, whose mails will be in the language of the form."""
        user.language = get_language() or "en"
        super().save_user(request, user, form, commit)
        return user
