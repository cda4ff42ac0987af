"""Submission of new versions: they are checked, stored and sent to qualification."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction

from damrak_ladder.accounts.budgets import spend
from damrak_ladder.bots import connecting, journey
from damrak_ladder.bots.errors import SameContent
from damrak_ladder.bots.inspection import inspect_archive
from damrak_ladder.bots.lines import one_line
from damrak_ladder.bots.models import Bot, Kind, State, StepKind, Version
from damrak_ladder.bots.submission import Submission, keep_archive, register, upload
from damrak_ladder.pipeline import qualifying
from damrak_ladder.pipeline.sending import send


def submit(
    bot: Bot, data: bytes, now: datetime, note: str = "", *, goes_live: bool = True
) -> Version:
    """Create a version from an archive and start its qualification; keep nothing if it is refused.

    Raises:
        NotTaken: the archive breaks a rule.
        LimitReached, SameContent
    """
    found = inspect_archive(data)
    submission = Submission(
        Kind.UPLOADED, language=found.language, note=one_line(note), goes_live=goes_live
    )
    keep_archive(bot, data, now)  # outside of the transaction, as a disk is slow
    with transaction.atomic():
        version = upload(bot, data, submission, now)
        received = f"{len(data):,} bytes, SHA-256 {version.content[:12]}…"
        journey.note(version, StepKind.RECEIVED, received, now, {"sha256": version.content})
        detail = {"files": found.files, "bytes": found.bytes, "language": found.language}
        journey.note(version, StepKind.CHECKED, found.summary, now, detail)
        qualifying.begin(version, now)
        version.refresh_from_db()
        transaction.on_commit(_hurry)
    return version


def connect(bot: Bot, software: str, now: datetime, note: str = "") -> tuple[Version, str]:
    """Create a remote version; return it and the token with which it connects.

    The bot's earlier token is revoked, as it belongs to the earlier version.

    Raises:
        LimitReached, SameContent
    """
    submission = Submission(Kind.REMOTE, spec=one_line(software), note=one_line(note))
    with transaction.atomic():
        version = register(bot, submission, now)
        qualifying.supersede(version, now)
        secret = connecting.issue(bot, now)
        words = "registered; it qualifies as soon as it is connected"
        journey.note(version, StepKind.RECEIVED, words, now, {"software": version.spec})
        qualifying.begin(version, now)
        version.refresh_from_db()
        transaction.on_commit(_hurry)
    return version, secret


def connect_again(bot: Bot, number: int, now: datetime) -> tuple[Version, str]:
    """Issue a new token for the version of this number; return both. The earlier token is revoked.

    A failed version qualifies again.

    Raises:
        SameContent, TooOften: see `try_again`.
    """
    with transaction.atomic():
        version = try_again(bot, number, now)
        secret = connecting.issue(bot, now)
    return version, secret


def try_again(bot: Bot, number: int, now: datetime) -> Version:
    """Return the version of this number; if it has failed, start its qualification again.

    The problem may have been fixed where the bot runs.

    Raises:
        SameContent: it is not the newest version, or not a remote one.
        TooOften: it has been tried again too often recently.
    """
    with transaction.atomic():
        version = bot.versions.select_related("bot").order_by("-number")[0]
        if version.number != number or version.kind != Kind.REMOTE:
            raise SameContent(number)
        if version.state == State.FAILED:
            most = settings.DAMRAK_LIMITS.submissions_per_hour
            spend("qualify-again", str(bot.owner_id), most, 3600)
            qualifying.begin_again(version, now)
            version.refresh_from_db()
            transaction.on_commit(_hurry)
    return version


def _hurry() -> None:
    """Request immediate scheduling; if the message is lost, it happens a few seconds later."""
    send("schedule")
