"""Tokens with which bots that run elsewhere connect: one for each bot, known to its owner only."""

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
"""How they begin, as those that a referee makes itself."""

_RANDOM_BYTES: Final = 32
_HINT: Final = len(MARK) + 4


def issue(bot: Bot, now: datetime) -> str:
    """A new token, which nobody can find out later; the bot's earlier one is void from now on."""
    secret = MARK + secrets.token_urlsafe(_RANDOM_BYTES)
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)  # one after the other
        ConnectToken.objects.filter(bot=bot).exclude(revoked=None).delete()  # or they would pile up
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
    """Make the bot's token void; whether it had one."""
    if not ConnectToken.objects.filter(bot=bot, revoked=None).update(revoked=now):
        return False
    detail = {"token": f"connects {bot.slug}"}
    record(SecurityEvent.TOKEN_REVOKED, user=bot.owner, detail=detail)
    return True


def on_all_revoked(sender: type[User], user: User, now: datetime, **more: object) -> None:
    """Make the tokens of all bots of a user void."""
    ConnectToken.objects.filter(bot__owner=user, revoked=None).update(revoked=now)


def all_tokens() -> list[BotToken]:
    """The tokens of all bots that may connect now, as referees take them."""
    # Also those made a moment from now by the clock of another machine: without any its bot is out.
    good = ConnectToken.objects.filter(revoked=None, bot__owner__is_active=True)
    found = good.order_by("bot__slug").values_list("bot__slug", "digest")
    return [BotToken(slug, digest, 0) for slug, digest in found]
