"""Promotion of a version to its bot's live version, and entry of the bot on ladders."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from damrak_ladder.accounts.models import User
from damrak_ladder.bots import journey, standing
from damrak_ladder.bots.models import StepKind, Version
from damrak_ladder.matches.entries import enter_all
from damrak_ladder.trials import canaries


def make_live(version: Version, expected: int | None, now: datetime, by: User) -> None:
    """Make a qualified version live instead of the expected one.

    Raises:
        NotQualified, Overtaken
    """
    with transaction.atomic():
        standing.promote(version.bot_id, expected, version.pk, now, by)
        canaries.cancel(version, now)
        bring_in(version, now)


def bring_in(version: Version, now: datetime) -> None:
    """Enter the bot of a version that has gone live on all ladders that admit every bot."""
    bot = version.bot
    bot.refresh_from_db()
    ladders = enter_all(bot, now)
    text = "Live: it plays for its bot from now on."
    if ladders:
        text = f"Live, and entered on {', '.join(ladder.name for ladder in ladders)}."
    journey.note(
        version, StepKind.LIVE, text, now, {"ladders": [ladder.slug for ladder in ladders]}
    )
