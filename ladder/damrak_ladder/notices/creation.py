"""Creation of notices: rows in the caller's transaction, delivered later."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import override

from damrak_ladder.accounts.models import User
from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.notes import note, note_all
from damrak_ladder.notices.kinds import Channel, Kind, is_wanted_by_default
from damrak_ladder.notices.models import Delivery, Notice, Rule, Webhook
from damrak_ladder.notices.rules import wanted

Wording = str | Promise
"""Text; if it is lazy, it is translated to the reader's language."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A notice to be created; its fields are the parameters of `tell`."""

    user: User
    kind: Kind
    key: str
    subject: Wording
    text: Wording
    link: str


def tell_all(letters: Sequence[Letter], now: datetime) -> int:
    """Notify many users, each once for each key; return the number of new notices.

    The number of queries does not depend on the number of notices.
    """
    keys = {one.key for one in letters}
    users = {one.user.pk for one in letters}
    if not letters:
        return 0
    told = set(Notice.objects.filter(user__in=users, key__in=keys).values_list("user", "key"))
    ways = _ways(letters)
    made: dict[tuple[int, str], Notice] = {}
    for one in letters:
        at = (one.user.pk, one.key)
        if at not in told and at not in made:
            made[at] = _notice(one, Channel.SITE in ways[one.user.pk, one.kind], now)
    with transaction.atomic():
        Notice.objects.bulk_create(made.values(), ignore_conflicts=True)
        stored = list(Notice.objects.filter(user__in=users, key__in=keys))
        new = [row.pk for row in stored if (row.user_id, row.key) in made]
        note_all(ChangeKind.NOTICE_CREATED, new, now)
        Delivery.objects.bulk_create(
            Delivery(notice=row, user_id=row.user_id, channel=channel, due=now)
            for row in stored
            if (row.user_id, row.key) in made
            for channel in ways[row.user_id, Kind(row.kind)] - {Channel.SITE}
        )
    return len(made)


def _ways(letters: Sequence[Letter]) -> dict[tuple[int, Kind], frozenset[Channel]]:
    """Return the channels by which each user wants each kind, and can be reached."""
    users = {one.user.pk for one in letters}
    rules = Rule.objects.filter(user__in=users, kind__in={one.kind for one in letters})
    said = {
        (user, kind, channel): is_wanted
        for user, kind, channel, is_wanted in rules.values_list(
            "user", "kind", "channel", "is_wanted"
        )
    }
    hooked = set(Webhook.objects.filter(user__in=users).values_list("user", flat=True))
    return {
        (one.user.pk, one.kind): frozenset(
            channel
            for channel in Channel
            if said.get((one.user.pk, one.kind, channel), is_wanted_by_default(one.kind, channel))
            and (channel is not Channel.MAIL or one.user.email)
            and (channel is not Channel.WEBHOOK or one.user.pk in hooked)
        )
        for one in letters
    }


def _notice(letter: Letter, is_on_site: bool, now: datetime) -> Notice:
    with override(letter.user.language):
        subject, text = " ".join(str(letter.subject).split())[:200], str(letter.text)
    return Notice(
        user=letter.user,
        key=letter.key,
        kind=letter.kind,
        subject=subject,
        text=text,
        link=letter.link,
        is_on_site=is_on_site,
        created=now,
    )


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
            note(ChangeKind.NOTICE_CREATED, notice.pk, now, is_public=False)
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
