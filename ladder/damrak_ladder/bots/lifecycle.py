"""The lifecycle of versions: checked, qualified, live, failed, benched.

Each step is one compare-and-swap, so that of two concurrent calls one fails with Overtaken.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.errors import NotQualified, Overtaken
from damrak_ladder.bots.models import NEXT, Bot, Promotion, State, Version
from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.notes import note
from damrak_ladder.message_codes import bot_codes as codes
from damrak_ladder.message_codes.message import Message


def advance(
    version_id: int,
    before: State,
    after: State,
    now: datetime,
    reason: Message | None = None,
    evidence: Any = None,
) -> None:
    """Move a version from one state to the next.

    Raises:
        ValueError: there is no such step.
        Overtaken: the version is not, or no longer, in the first state.
    """
    if after not in NEXT[before]:
        raise ValueError(f"no step leads from {before} to {after}")
    with transaction.atomic():
        changed = Version.objects.filter(pk=version_id, state=before).update(
            state=after, reason=reason, evidence={} if evidence is None else evidence, changed=now
        )
        if not changed:
            raise Overtaken(codes.StateChanged(before))
        note(ChangeKind.VERSION_CHANGED, version_id, now)


def promote(
    bot_id: int, expected: int | None, version_id: int, now: datetime, by: User | None = None
) -> None:
    """Make a version, possibly an earlier one, live instead of the expected one.

    Raises:
        NotQualified: it may not be live.
        Overtaken: another version than the expected one is live.
    """
    with transaction.atomic():
        # Locked, so that it is not benched between the check and the step.
        version = Version.objects.select_for_update(no_key=True).get(pk=version_id, bot_id=bot_id)
        if version.state != State.QUALIFIED:
            raise NotQualified(version.state)
        if not _swap(bot_id, expected, version_id, now, by):
            raise Overtaken(codes.LiveVersionChanged())


def bench(version_id: int, reason: Message, evidence: Any, now: datetime) -> bool:
    """Take a version that faults too often out of play, with evidence; return whether it was live.

    Raises:
        Overtaken: it is not qualified, or no longer.
    """
    with transaction.atomic():
        version = Version.objects.select_for_update(no_key=True).get(pk=version_id)
        advance(version_id, State.QUALIFIED, State.BENCHED, now, reason, evidence)
        return _swap(version.bot_id, version_id, None, now, None)


def retire(bot: Bot, now: datetime) -> bool:
    """Leave a bot without a live version; return whether it had one."""
    live = Bot.objects.select_for_update(no_key=True).get(pk=bot.pk).live_id
    return live is not None and _swap(bot.pk, live, None, now, None)


def _swap(
    bot_id: int, before: int | None, after: int | None, now: datetime, by: User | None
) -> bool:
    if not Bot.objects.filter(pk=bot_id, live_id=before).update(live_id=after):
        return False
    Promotion.objects.create(bot_id=bot_id, before_id=before, after_id=after, by=by, at=now)
    note(ChangeKind.BOT_CHANGED, bot_id, now)
    return True
