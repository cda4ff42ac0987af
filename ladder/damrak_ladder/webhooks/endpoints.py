"""The endpoints of a user: creation, rotation of secrets, and pauses."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot
from damrak_ladder.matches.models import Ladder
from damrak_ladder.notices.http_post import Postman
from damrak_ladder.notices.signatures import new_salt
from damrak_ladder.notices.webhooks import own_postman
from damrak_ladder.tournaments.access import visible_tournaments
from damrak_ladder.webhooks.errors import TooManyEndpoints, UnknownTarget
from damrak_ladder.webhooks.models import Endpoint, Post, PostState, Target
from damrak_ladder.webhooks.signatures import secret_of

MOST: Final = 10
"""The maximum number of endpoints of a user."""

OVERLAP: Final = timedelta(hours=24)
"""How long the former secret still signs after a rotation."""


def add(
    user: User,
    url: str,
    target: Target,
    name: str,
    now: datetime,
    postman: Postman | None = None,
    types: Collection[str] = (),
) -> tuple[Endpoint, str]:
    """Add an endpoint; return it with its secret, which is not shown again.

    It receives events of all types if none are given.

    It resolves the host, so call it outside of transactions.

    Raises:
        BadWebhook: this address is not allowed; the message gives the reason.
        UnknownTarget, TooManyEndpoints
    """
    name = "" if target is Target.NOTICES else name
    if not _exists(user, target, name):
        raise UnknownTarget(target, name)
    (postman or own_postman()).check(url)
    salt = new_salt()
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)  # one at a time
        if Endpoint.objects.filter(user=user).count() >= MOST:
            raise TooManyEndpoints(MOST)
        made = Endpoint.objects.create(
            user=user,
            url=url,
            target=target,
            name=name,
            types=sorted(set(types)),
            salt=salt,
            created=now,
            renewed=now,
        )
    return made, secret_of(salt)


def rotate(endpoint: Endpoint, now: datetime) -> str:
    """Replace the secret and return it; for a day, the former one signs, too."""
    salt = new_salt()
    with transaction.atomic():
        locked = Endpoint.objects.select_for_update().get(pk=endpoint.pk)
        Endpoint.objects.filter(pk=locked.pk).update(
            salt=salt, renewed=now, former_salt=locked.salt, former_until=now + OVERLAP
        )
    endpoint.refresh_from_db()
    return secret_of(salt)


def disable(endpoint: Endpoint, now: datetime, trouble: str = "") -> bool:
    """Let an endpoint receive nothing; return False if it was disabled already."""
    working = Endpoint.objects.filter(pk=endpoint.pk, disabled=None)
    if not working.update(disabled=now, trouble=trouble):
        return False
    waiting = Post.objects.filter(endpoint=endpoint, state=PostState.WAITING)
    waiting.update(state=PostState.DEAD, trouble=trouble)
    endpoint.refresh_from_db()
    return True


def enable(endpoint: Endpoint) -> None:
    """Let an endpoint that was disabled receive events again."""
    Endpoint.objects.filter(pk=endpoint.pk).update(disabled=None, trouble="")
    endpoint.refresh_from_db()


def _exists(user: User, target: Target, name: str) -> bool:
    if "\0" in name:
        return False
    match target:
        case Target.NOTICES:
            return True
        case Target.BOT:
            return Bot.objects.filter(slug=name).exists()
        case Target.LADDER:
            return Ladder.objects.filter(slug=name).exists()
        case Target.TOURNAMENT:
            return visible_tournaments(user).filter(slug=name).exists()
