"""Delivery of due mails and webhooks; any number of processes may deliver at once.

A process claims a delivery in one statement, which counts the try and postpones the next one, so
that only one process succeeds. If it is killed, the delivery is merely delayed. A mail accepted by
the server just before that is sent twice, since the two records cannot be written atomically; a
webhook likewise, but each post carries the number of its notice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Final

from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Min, QuerySet
from django.utils.translation import gettext as _, override

from damrak_ladder.notices.http_post import Answer, Postman
from damrak_ladder.notices.kinds import Channel
from damrak_ladder.notices.mail import mail_of
from damrak_ladder.notices.models import Delivery, DeliveryState, Webhook
from damrak_ladder.notices.webhooks import body_of, own_postman, post_signed

logger = logging.getLogger(__name__)

TRIES: Final = 10
"""The number of tries of a delivery; the last is nearly two days after the first."""

HELD: Final = timedelta(minutes=5)
"""How long a claim lasts, which is longer than any try can take."""

_MAILS: Final = 50  # users per run
_MAIL_SECONDS: Final = 60  # no new mail is begun after this time, as its claim would be too short
_REFUSALS: Final = 3  # consecutive failures after which mail is suspended for this run
_IN_ONE_MAIL: Final = 100
_POSTS: Final = 24  # per run
_POSTS_TO_ONE: Final = 3  # of these to one receiver, so that a slow one delays only itself


@dataclass(frozen=True, slots=True)
class Delivered:
    """The outcome of one run, in notices."""

    sent: int = 0
    failed: int = 0

    def __add__(self, other: Delivered) -> Delivered:
        return Delivered(self.sent + other.sent, self.failed + other.failed)


def wait_after(tries: int) -> timedelta:
    """Return the back-off after this many failed tries: 5, 10, 20 minutes and so on."""
    return HELD * (1 << (tries - 1))


def deliver(
    now: datetime, postman: Postman | None = None, mailer: BaseEmailBackend | None = None
) -> Delivered:
    """Send some of the due deliveries. It uses the network, so call it outside of transactions."""
    bury(now)
    return deliver_mails(now, mailer or get_connection()) + deliver_posts(
        now, postman or own_postman()
    )


def bury(now: datetime) -> int:
    """Give up deliveries whose last try never reported back; return their number."""
    lost = Delivery.objects.filter(state=DeliveryState.WAITING, due__lte=now, tries__gte=TRIES)
    return lost.update(state=DeliveryState.DEAD, ended=now, trouble="nobody knows whether it went")


def deliver_mails(now: datetime, mailer: BaseEmailBackend) -> Delivered:
    """Send each user with due mail a single mail with all notices."""
    total, refusals, begun = Delivered(), 0, monotonic()
    for user_id in _users(now, Channel.MAIL, _MAILS):
        if refusals == _REFUSALS or monotonic() - begun > _MAIL_SECONDS:
            break
        waiting = _due(now, Channel.MAIL).filter(user=user_id)
        if ours := _take(waiting.order_by("pk")[:_IN_ONE_MAIL], now):
            answer = _mail(ours, mailer)
            refusals = 0 if answer.is_good else refusals + 1
            total += _note(ours, answer, now)
    return total


def deliver_posts(now: datetime, postman: Postman) -> Delivered:
    """Post to all due webhooks concurrently, to each of them in order."""
    chosen: dict[int, list[Delivery]] = {}
    room = _POSTS
    for user_id in _users(now, Channel.WEBHOOK, _POSTS):
        due = _due(now, Channel.WEBHOOK).filter(user=user_id).order_by("due", "pk")
        chosen[user_id] = list(due[: min(_POSTS_TO_ONE, room)])
        room -= len(chosen[user_id])
        if not room:
            break
    webhooks = {hook.user_id: hook for hook in Webhook.objects.filter(user__in=list(chosen))}
    taken = {user_id: ours for user_id, due in chosen.items() if (ours := _take(due, now))}
    total = Delivered()
    # Threads only use the network; all database access is in this thread.
    with ThreadPoolExecutor(max(len(taken), 1)) as pool:
        talks = [
            pool.submit(_post_all, webhooks.get(user_id), ours, now, postman)
            for user_id, ours in taken.items()
        ]
        for talk in as_completed(talks):
            for delivery, answer in talk.result():
                total += _note([delivery], answer, now)
    return total


def _users(now: datetime, channel: Channel, most: int) -> list[int]:
    """Return the users with due deliveries, longest waiting first.

    A user with many deliveries does not displace others from the list.
    """
    waiting = _due(now, channel).order_by().values("user").annotate(first=Min("due"))
    return [row["user"] for row in waiting.order_by("first", "user")[:most]]


def _due(now: datetime, channel: Channel) -> QuerySet[Delivery]:
    return Delivery.objects.filter(
        state=DeliveryState.WAITING, due__lte=now, tries__lt=TRIES, channel=channel
    ).select_related("notice", "user")


def _take(deliveries: Iterable[Delivery], now: datetime) -> list[Delivery]:
    """Claim these deliveries; return those that no other process has claimed."""
    ours = []
    for delivery in deliveries:
        same = Delivery.objects.filter(
            pk=delivery.pk, state=DeliveryState.WAITING, tries=delivery.tries, due__lte=now
        )
        delivery.tries += 1
        if same.update(tries=delivery.tries, due=now + wait_after(delivery.tries)):
            ours.append(delivery)
    return ours


def _note(ours: list[Delivery], answer: Answer, now: datetime) -> Delivered:
    """Record the outcome of these deliveries, unless another process has tried again since."""
    for delivery in ours:
        mine = Delivery.objects.filter(
            pk=delivery.pk, state=DeliveryState.WAITING, tries=delivery.tries
        )
        if answer.is_good:
            mine.update(state=DeliveryState.SENT, ended=now, trouble="")
        elif delivery.tries >= TRIES:
            mine.update(state=DeliveryState.DEAD, ended=now, trouble=answer.trouble[:300])
        else:
            mine.update(trouble=answer.trouble[:300])
    count = len(ours)
    return Delivered(sent=count) if answer.is_good else Delivered(failed=count)


def _mail(ours: list[Delivery], mailer: BaseEmailBackend) -> Answer:
    user = ours[0].user
    with override(user.language):
        if not (user.email and user.is_active):
            return Answer(False, _("The account has no email address."))
        try:
            mailer.send_messages([mail_of(user, [delivery.notice for delivery in ours])])
        except (OSError, ValueError):
            # The reason is only logged for the operator: it may name other people.
            logger.warning("mail_refused user=%s", user.pk, exc_info=True)
            return Answer(False, _("The mail server refused the mail or could not be reached."))
    return Answer(True)


def _post_all(
    webhook: Webhook | None, ours: list[Delivery], now: datetime, postman: Postman
) -> list[tuple[Delivery, Answer]]:
    user = ours[0].user
    with override(user.language):
        if webhook is None or not user.is_active:
            return [
                (delivery, Answer(False, _("The account has no webhook."))) for delivery in ours
            ]
        return [
            (
                delivery,
                post_signed(webhook, body_of(delivery.notice), delivery.notice_id, now, postman),
            )
            for delivery in ours
        ]
