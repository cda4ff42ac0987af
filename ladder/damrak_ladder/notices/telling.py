"""Creation of notices: rows in the caller's transaction, delivered later."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import override

from damrak_ladder.accounts.models import User
from damrak_ladder.notices.kinds import Channel, Kind
from damrak_ladder.notices.models import Delivery, Notice, Webhook
from damrak_ladder.notices.rules import wanted

Wording = str | Promise
"""Text; if it is lazy, it is translated to the reader's language."""


def tell(
    user: User, kind: Kind, key: str, subject: Wording, text: Wording, link: str, now: datetime
) -> bool:
    """Notify a user once; return False if there is a notice with this key already.

    It only writes rows, in the caller's transaction. `link` is a path on the site without a
    language prefix, such as `/bots/hare/3/`, to the subject of the notice.

    Raises:
        ValueError: the link is not a path on the site, or the key is too long.
    """
    if not link.startswith("/") or link.startswith("//") or len(link) > 300:
        raise ValueError(f"{link!r} is no path on the site")
    if not 0 < len(key) <= 200:
        raise ValueError(f"a key of {len(key)} characters")
    ways = wanted(user, kind)
    with override(user.language):
        # A name may contain anything; a subject is one line.
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
    """Notify all active staff once; return how many new notices there were."""
    return sum(tell(user, kind, key, subject, text, link, now) for user in _staff())


def untold_staff(keys: Collection[str]) -> set[str]:
    """Return the keys for which at least one active member of staff has no notice yet."""
    staff = list(_staff().values_list("pk", flat=True))
    told = set(Notice.objects.filter(user__in=staff, key__in=keys).values_list("user", "key"))
    return {key for key in keys if any((user, key) not in told for user in staff)}


def _staff() -> QuerySet[User]:
    return User.objects.filter(is_staff=True, is_active=True).order_by("pk")


def _can_be_reached(user: User, channel: Channel) -> bool:
    if channel is Channel.MAIL:
        return bool(user.email)
    return Webhook.objects.filter(user=user).exists()
