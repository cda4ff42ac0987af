"""Tell somebody something: rows in the caller's transaction, from which others send later."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import override

from damrak_ladder.accounts.models import User
from damrak_ladder.notices.kinds import Channel, Kind
from damrak_ladder.notices.models import Delivery, Notice, Webhook
from damrak_ladder.notices.rules import wanted

Wording = str | Promise
"""Text; if it is lazy, it becomes text in the reader's language."""


def tell(
    user: User, kind: Kind, key: str, subject: Wording, text: Wording, link: str, now: datetime
) -> bool:
    """Tell a user something once; False if they were told under this key before.

    It is part of the caller's transaction, and nothing leaves the machine. `link` is a path on the
    site without a language in front, such as `/bots/hare/3/`; it leads to what the notice is about.

    Raises:
        ValueError: the link is no path on the site, or the key is too long.
    """
    if not link.startswith("/") or link.startswith("//") or len(link) > 300:
        raise ValueError(f"{link!r} is no path on the site")
    if not 0 < len(key) <= 200:
        raise ValueError(f"a key of {len(key)} characters")
    ways = wanted(user, kind)
    with override(user.language):
        # A name may hold anything; a subject is one line.
        subject, text = " ".join(str(subject).split())[:200], str(text)
    with transaction.atomic():
        notice, is_new = Notice.objects.get_or_create(
            user=user,
            key=key,
            defaults={
                "kind": kind,
                "subject": subject,
                "text": text,
                "link": link,
                "is_on_site": Channel.SITE in ways,
                "created": now,
            },
        )
        if is_new:
            Delivery.objects.bulk_create(
                Delivery(notice=notice, user=user, channel=channel, due=now)
                for channel in (Channel.MAIL, Channel.WEBHOOK)
                if channel in ways and _can_be_reached(user, channel)
            )
    return is_new


def tell_staff(
    kind: Kind, key: str, subject: Wording, text: Wording, link: str, now: datetime
) -> int:
    """Tell all active staff something once; how many of them had not been told."""
    staff = User.objects.filter(is_staff=True, is_active=True).order_by("pk")
    return sum(tell(user, kind, key, subject, text, link, now) for user in staff)


def _can_be_reached(user: User, channel: Channel) -> bool:
    if channel is Channel.MAIL:
        return bool(user.email)
    return Webhook.objects.filter(user=user).exists()
