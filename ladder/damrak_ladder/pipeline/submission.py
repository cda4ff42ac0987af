"""Submission of new versions: they are checked, stored and sent to qualification."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from damrak_archive.inspection import Inspection
from damrak_ladder.accounts.budgets import spend
from damrak_ladder.bots import connect_tokens, journey
from damrak_ladder.bots.errors import SameContent
from damrak_ladder.bots.inspection import inspect_archive
from damrak_ladder.bots.models import Bot, Kind, State, StepKind, Version
from damrak_ladder.bots.one_line_text import one_line
from damrak_ladder.bots.submission import Submission, keep_archive, register, upload
from damrak_ladder.matches.runtimes import offered_runtimes
from damrak_ladder.message_codes import journey_codes as codes
from damrak_ladder.message_codes.message import Message
from damrak_ladder.pipeline.celery.messages import send
from damrak_ladder.pipeline.outcome import qualification
from damrak_ladder.tournaments.entry import check_unpinned


def submit(
    bot: Bot, data: bytes, now: datetime, note: str = "", *, goes_live: bool = True
) -> Version:
    """Create a version from an archive and start its qualification; keep nothing if it is refused.

    Raises:
        NotTaken: the archive breaks a rule.
        LimitReached, SameContent
    """
    found = inspect_archive(data, offered_runtimes(now))
    submission = Submission(
        Kind.UPLOADED, language=found.language, note=one_line(note), goes_live=goes_live
    )
    keep_archive(bot, data, now)  # outside of the transaction, as a disk is slow
    with transaction.atomic():
        version = upload(bot, data, submission, now)
        received = codes.ArchiveReceived(len(data), version.content[:12])
        journey.note(version, StepKind.RECEIVED, received, now, {"sha256": version.content})
        detail: dict[str, Any] = {
            "files": found.files,
            "bytes": found.bytes,
            "language": found.language,
        }
        if found.runtime is not None:
            detail["runtime"] = found.runtime
        journey.note(version, StepKind.CHECKED, _checked(found), now, detail)
        qualification.begin(version, now)
        version.refresh_from_db()
        transaction.on_commit(_hurry)
    return version


def connect(bot: Bot, software: str, now: datetime, note: str = "") -> tuple[Version, str]:
    """Create a remote version; return it and the token with which it connects.

    The bot's earlier token is revoked, as it belongs to the earlier version.

    Raises:
        LimitReached, SameContent
        Pinned: the bot plays in a tournament, for which its version is fixed.
    """
    check_unpinned(bot)
    submission = Submission(Kind.REMOTE, spec=one_line(software), note=one_line(note))
    with transaction.atomic():
        version = register(bot, submission, now)
        qualification.supersede(version, now)
        secret = connect_tokens.issue(bot, now)
        journey.note(
            version, StepKind.RECEIVED, codes.RemoteRegistered(), now, {"software": version.spec}
        )
        qualification.begin(version, now)
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
        secret = connect_tokens.issue(bot, now)
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
            qualification.begin_again(version, now)
            version.refresh_from_db()
            transaction.on_commit(_hurry)
    return version


def _checked(found: Inspection) -> Message:
    """Return the contents of an archive as a message."""
    if found.run is not None:
        return codes.ProgramFound(found.language, " ".join(found.run), found.files)
    if found.class_name is not None:
        return codes.PythonClassFound(found.class_name, found.files)
    return codes.PythonBotFound(found.files)


def _hurry() -> None:
    """Request immediate scheduling; if the message is lost, it happens a few seconds later."""
    send("schedule")
