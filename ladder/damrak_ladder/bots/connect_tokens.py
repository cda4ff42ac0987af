"""Connect tokens of remote bots: one per bot, known only to its owner."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from typing import Final

from django.db import transaction

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot, ConnectToken
from damrak_ladder.security import SecurityEvent, record
from damrak_wire.lobby import BotToken

MARK: Final = "dmk_"
"""The prefix of tokens, the same as of those that a referee creates itself."""

_RANDOM_BYTES: Final = 32
_HINT: Final = len(MARK) + 4


def issue(bot: Bot, now: datetime) -> str:
    """Issue a new token, shown only once, and revoke the bot's earlier one."""
    secret = MARK + secrets.token_urlsafe(_RANDOM_BYTES)
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)  # serialises concurrent calls
        ConnectToken.objects.filter(bot=bot).exclude(revoked=None).delete()  # keeps the table small
        revoke(bot, now)
        ConnectToken.objects.create(
            bot=bot,
            digest=hashlib.sha256(secret.encode()).hexdigest(),
            hint=secret[:_HINT],
            created=now,
        )
        detail = {"token": f"connects {bot.slug}", "hint": secret[:_HINT]}
        record(SecurityEvent.TOKEN_CREATED, user=bot.owner, detail=detail)
    return secret


def revoke(bot: Bot, now: datetime) -> bool:
    """Revoke the bot's token; return whether it had one."""
    if not ConnectToken.objects.filter(bot=bot, revoked=None).update(revoked=now):
        return False
    detail = {"token": f"connects {bot.slug}"}
    record(SecurityEvent.TOKEN_REVOKED, user=bot.owner, detail=detail)
    return True


def on_all_revoked(sender: type[User], user: User, now: datetime, **more: object) -> None:
    """Revoke the tokens of all bots of a user."""
    ConnectToken.objects.filter(bot__owner=user, revoked=None).update(revoked=now)


def all_tokens() -> list[BotToken]:
    """Return the tokens of all bots that may connect now, in the form that referees use."""
    # Includes tokens dated in the near future by the clock of another machine: without its token a
    # bot could not connect.
    good = ConnectToken.objects.filter(revoked=None, bot__owner__is_active=True)
    found = good.order_by("bot__slug").values_list("bot__slug", "digest")
    return [BotToken(slug, digest, 0) for slug, digest in found]
