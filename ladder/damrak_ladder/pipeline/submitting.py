"""New versions taken in: checked first, stored, and sent to qualify."""

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
    """A new version from an archive, on its way to qualify. Of one that is refused nothing stays.

    Raises:
        NotTaken: the archive breaks a rule.
        LimitReached, SameContent
    """
    found = inspect_archive(data)
    submission = Submission(
        Kind.UPLOADED, language=found.language, note=one_line(note), goes_live=goes_live
    )
    keep_archive(bot, data, now)  # a disk is slow, and the transaction is not to wait for it
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
    """A new version that runs elsewhere, and the token with which it connects.

    The bot's earlier token is void: who connects with it is the earlier version.

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
    """The version of that number, and a new token for it; the bot's earlier token is void.

    If it has failed it qualifies once more.

    Raises:
        SameContent, TooOften: as `try_again` says.
    """
    with transaction.atomic():
        version = try_again(bot, number, now)
        secret = connecting.issue(bot, now)
    return version, secret


def try_again(bot: Bot, number: int, now: datetime) -> Version:
    """The version of that number, which qualifies once more if it has failed.

    For what was wrong may be mended where it runs.

    Raises:
        SameContent: it is not the newest one, or not one that runs elsewhere.
        TooOften: it has been tried again too often lately.
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
    """Have the blocks booked at once; if nobody hears it, they are a few seconds later."""
    send("schedule")
