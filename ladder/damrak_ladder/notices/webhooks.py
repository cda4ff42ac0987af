"""The webhook of a user: set-up, renewal, test and removal."""

from __future__ import annotations

import json
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _, override

from damrak_ladder.accounts.models import User
from damrak_ladder.notices.http_post import Answer, Postman
from damrak_ladder.notices.kinds import Channel
from damrak_ladder.notices.models import Delivery, DeliveryState, Notice, Webhook
from damrak_ladder.notices.signatures import (
    HEADER,
    new_salt,
    secret_of,
    signature,
    standard_headers,
)
from damrak_ladder.plain_text import plain_text


def webhook_of(user: User) -> Webhook | None:
    """Return the webhook of this user, or None."""
    return Webhook.objects.filter(user=user).first()


def set_webhook(user: User, url: str, now: datetime, postman: Postman | None = None) -> str:
    """Set the address of a user's webhook; return its secret, which is never shown again.

    It resolves the host, so call it outside of transactions.

    Raises:
        BadWebhook: this address is not allowed; the message gives the reason.
    """
    # Checked again on delivery, as the name may resolve differently by then.
    (postman or own_postman()).check(url)
    salt = new_salt()
    Webhook.objects.update_or_create(
        user=user,
        defaults={"url": url, "salt": salt, "renewed": now},
        create_defaults={"url": url, "salt": salt, "renewed": now, "created": now},
    )
    return secret_of(salt)


def renew_secret(user: User, now: datetime) -> str | None:
    """Replace the secret and return it, once only; None without a webhook."""
    salt = new_salt()
    changed = Webhook.objects.filter(user=user).update(salt=salt, renewed=now)
    return secret_of(salt) if changed else None


def remove_webhook(user: User) -> bool:
    """Remove the webhook and its waiting deliveries; return False if there was none."""
    with transaction.atomic():
        waiting = Delivery.objects.filter(user=user, state=DeliveryState.WAITING)
        waiting.filter(channel=Channel.WEBHOOK).delete()
        return bool(Webhook.objects.filter(user=user).delete()[0])


def try_webhook(user: User, now: datetime, postman: Postman | None = None) -> Answer | None:
    """Post a test notice and return the outcome; None without a webhook.

    It may take seconds on the network, so call it outside of transactions.
    """
    webhook = webhook_of(user)
    if webhook is None:
        return None
    with override(user.language):
        subject, text = _("Test message"), _("If you can read this, your webhook works.")
    body = _encode(0, "test", subject, text, "/desk/notices/", now)
    return post_signed(webhook, body, 0, now, postman or own_postman())


def body_of(notice: Notice) -> bytes:
    """Return the body that a webhook receives for a notice."""
    return _encode(notice.pk, notice.kind, notice.subject, notice.text, notice.link, notice.created)


def post_signed(
    webhook: Webhook, body: bytes, notice: int, now: datetime, postman: Postman
) -> Answer:
    """Post a body, signed with the current time."""
    secret = secret_of(webhook.salt)
    headers = {
        HEADER: signature(secret, body, now),
        "X-Damrak-Notice": str(notice),
        **standard_headers([secret.encode()], f"notice_{notice}", body, now),
    }
    return postman.post(webhook.url, body, headers)


def own_postman() -> Postman:
    """Return a client with the settings of this installation."""
    return Postman(allow_loopback=settings.DAMRAK_LOCAL_WEBHOOKS)


def _encode(notice: int, kind: str, subject: str, text: str, link: str, created: datetime) -> bytes:
    return json.dumps(
        {
            "format": "damrak-notice/1",
            "id": notice,
            "kind": kind,
            "subject": plain_text(subject),
            "text": plain_text(text),
            "link": settings.DAMRAK_URL + link,
            "created": created.isoformat(),
        },
        ensure_ascii=False,
    ).encode()
