"""Deletion of an account. Its matches and ratings stay; its bots go to `former-author`.

Deleting the row of the user deletes every row that refers to it: addresses, second factor,
sessions, tokens, notices, deliveries, rules and webhooks. All changes are one transaction.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import transaction

from damrak_ladder.accounts.models import FORMER_AUTHOR, User
from damrak_ladder.accounts.roles import check_other_staff
from damrak_ladder.accounts.sessions import end_sessions
from damrak_ladder.accounts.tokens import revoke_all
from damrak_ladder.bots import journey, lifecycle
from damrak_ladder.bots.models import Bot, Kind, Promotion, State, StepKind, Version
from damrak_ladder.matches.models import Block, BlockState, Entry, Purpose
from damrak_ladder.message_codes import journey_codes as codes
from damrak_ladder.security import SecurityEvent, record
from damrak_ladder.tournaments.heirs import hand_over, withdraw_everywhere
from damrak_ladder.trials import canaries, trials
from damrak_ladder.trials.models import CanaryState, Trial, TrialState

_DROPPED: Final = (Purpose.LADDER, Purpose.CANARY, Purpose.QUALIFICATION)


def delete_account(user: User, now: datetime) -> None:
    """Delete this account and all personal data of the user.

    Raises:
        LastAdministrator: no active administrator would be left.
    """
    with transaction.atomic():
        check_other_staff(user)
        # Not `no_key`: this lock also keeps others from adding rows that refer to the user.
        user = User.objects.select_for_update().get(pk=user.pk)
        heir = _former_author(now)
        for trial in Trial.objects.filter(owner=user, state=TrialState.RUNNING):
            trials.cancel(trial.pk, now)
        for bot in user.bots.order_by("pk"):
            _withdraw(bot, now)
            withdraw_everywhere(bot, now)
        hand_over(user, heir)
        revoke_all(user, now)
        end_sessions(user)
        Trial.objects.filter(owner=user).update(owner=heir)
        Promotion.objects.filter(by=user).update(by=heir)
        user.bots.update(owner=heir)
        name = user.username
        user.delete()
        record(SecurityEvent.ACCOUNT_DELETED, name=name)


def _former_author(now: datetime) -> User:
    """Return the account that owns the bots of deleted accounts, created on first use."""
    heir, is_new = User.objects.get_or_create(
        username=FORMER_AUTHOR, email="", defaults={"is_active": False, "date_joined": now}
    )
    if is_new:
        heir.set_unusable_password()
        heir.save(update_fields=["password"])
    return heir


def _withdraw(bot: Bot, now: datetime) -> None:
    """Remove a bot from ladders, canaries, tests and the queue."""
    Entry.objects.filter(bot=bot, left=None).update(left=now)
    lifecycle.retire(bot, now)
    for version in Version.objects.filter(bot=bot, canaries__state=CanaryState.RUNNING).distinct():
        canaries.cancel(version, now)
    # A remote bot cannot connect any more, so tests against it would never end.
    against = Trial.objects.filter(
        baseline__bot=bot, baseline__kind=Kind.REMOTE, state=TrialState.RUNNING
    )
    for trial in against:
        trials.cancel(trial.pk, now)
    _drop_waiting(bot)
    reason = codes.AuthorDeleted()
    for version in bot.versions.filter(state__in=(State.CHECKING, State.QUALIFYING)):
        lifecycle.advance(version.pk, State(version.state), State.FAILED, now, reason)
        journey.note(version, StepKind.FAILED, codes.NotQualified(reason), now)


def _drop_waiting(bot: Bot) -> None:
    """Delete waiting blocks with this bot that have not been sent to a host."""
    waiting = Block.objects.filter(
        state=BlockState.WAITING,
        host=None,
        purpose__in=_DROPPED,
        matches__seats__version__bot=bot,
    )
    keys = set(waiting.values_list("pk", flat=True))
    # The lock keeps hosts from starting one of them in the meantime.
    kept = Block.objects.filter(pk__in=keys, state=BlockState.WAITING, host=None)
    Block.objects.filter(
        pk__in=list(kept.select_for_update().values_list("pk", flat=True))
    ).delete()
