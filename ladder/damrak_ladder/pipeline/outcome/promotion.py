"""Promotion of a version to its bot's live version, and entry of the bot on ladders."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from damrak_ladder.accounts.models import User
from damrak_ladder.bots import journey, lifecycle
from damrak_ladder.bots.models import StepKind, Version
from damrak_ladder.matches.entries import enter_all
from damrak_ladder.message_codes import journey_codes as codes
from damrak_ladder.trials import canaries


def make_live(version: Version, expected: int | None, now: datetime, by: User) -> None:
    """Make a qualified version live instead of the expected one.

    Raises:
        NotQualified, Overtaken
    """
    with transaction.atomic():
        lifecycle.promote(version.bot_id, expected, version.pk, now, by)
        canaries.cancel(version, now)
        bring_in(version, now)


def bring_in(version: Version, now: datetime) -> None:
    """Enter the bot of a version that has gone live on all ladders that admit every bot."""
    bot = version.bot
    bot.refresh_from_db()
    ladders = enter_all(bot, now)
    names = tuple(ladder.name for ladder in ladders)
    message = codes.LiveAndEntered(names) if names else codes.Live()
    journey.note(
        version, StepKind.LIVE, message, now, {"ladders": [ladder.slug for ladder in ladders]}
    )
