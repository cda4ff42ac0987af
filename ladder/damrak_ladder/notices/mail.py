"""Mails with one or several notices."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.translation import gettext as _, ngettext, override

from damrak_ladder.accounts.models import User
from damrak_ladder.notices.models import Notice
from damrak_ladder.notices.results import without_results
from damrak_ladder.notices.unsubscribe import stop_path
from damrak_ladder.plain_text import plain_text


def mail_of(user: User, notices: Sequence[Notice]) -> EmailMessage:
    """Return one mail to a user with all these notices, in the user's current language.

    It states no results if the user hides them.
    """
    with override(user.language):
        worded = [
            without_results(notice) if user.hides_results else (notice.subject, notice.text)
            for notice in notices
        ]
        if len(notices) == 1:
            subject = worded[0][0]
        else:
            subject = ngettext(
                "{count} notification", "{count} notifications", len(notices)
            ).format(count=len(notices))
        stop = settings.DAMRAK_URL + stop_path(user)
        closing = _(
            "You receive this email because you have an account at {site}.\n"
            "Notification settings: {choose}\nUnsubscribe: {stop}"
        ).format(site=settings.DAMRAK_URL, choose=settings.DAMRAK_URL + "/desk/notices/", stop=stop)
    parts = [
        _part(*words, notice.link, has_title=len(notices) > 1)
        for words, notice in zip(worded, notices, strict=True)
    ]
    return EmailMessage(
        subject=plain_text(f"[Damrak] {subject}"),
        body=plain_text("\n\n".join([*parts, f"-- \n{closing}"]) + "\n"),
        to=[user.email],
        headers={
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )


def _part(subject: str, text: str, link: str, has_title: bool) -> str:
    lines = [text, settings.DAMRAK_URL + link]
    return "\n".join([f"* {subject}", *lines] if has_title else lines)
