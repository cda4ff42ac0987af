"""Creation of bots and versions, within the limits of their owner."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Sum

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.archives import archive_store, content_of
from damrak_ladder.bots.errors import LimitReached, NameTaken, SameContent
from damrak_ladder.bots.house import PREFIX
from damrak_ladder.bots.models import SLUG, Bot, Kind, Version
from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.notes import note
from damrak_ladder.message_codes import bot_codes as codes

_MB: Final = 1_000_000
_HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Submission:
    """An author's description of a new version."""

    kind: Kind
    spec: str = ""
    language: str = ""
    note: str = ""
    goes_live: bool = True


def create_bot(owner: User, slug: str, name: str, now: datetime) -> Bot:
    """Create a bot without versions.

    Raises:
        ValueError: the slug is not valid, or reserved for house bots.
        LimitReached, NameTaken
    """
    if not re.fullmatch(SLUG, slug):
        raise ValueError(f"{slug!r} is not made of lower-case letters, digits and inner hyphens")
    if slug.startswith(PREFIX):
        raise ValueError(f"names that begin with {PREFIX} are for house bots")
    with transaction.atomic():
        _lock(owner)
        if owner.bots.count() >= settings.DAMRAK_LIMITS.bots:
            most = settings.DAMRAK_LIMITS.bots
            raise LimitReached(codes.BotLimit(most), most)
        bot, is_new = Bot.objects.get_or_create(
            slug=slug, defaults={"owner": owner, "name": name, "created": now}
        )
    if not is_new:
        raise NameTaken(slug)
    return bot


def upload(bot: Bot, data: bytes, submission: Submission, now: datetime) -> Version:
    """Create a version from an archive, which is stored before the version becomes visible.

    Raises:
        LimitReached, SameContent
    """
    return _submit(bot, keep_archive(bot, data, now), len(data), submission, now)


def keep_archive(bot: Bot, data: bytes, now: datetime) -> str:
    """Store an archive for a later version, which may still be refused; return its name.

    Raises:
        LimitReached, SameContent
    """
    _check(bot, content_of(data), len(data), now)  # before the archive is written
    return archive_store().put(data)


def register(bot: Bot, submission: Submission, now: datetime) -> Version:
    """Create a version without an archive: a remote or house bot, identified by its `spec`.

    Raises:
        LimitReached, SameContent
    """
    return _submit(bot, content_of(submission.spec.encode()), 0, submission, now)


def storage_of(owner: User) -> int:
    """Return the bytes of all archives of this owner; each distinct content counts once."""
    archives = Version.objects.filter(bot__owner=owner, kind=Kind.UPLOADED)
    return archives.values("content").distinct().aggregate(bytes=Sum("size"))["bytes"] or 0


def _submit(bot: Bot, content: str, size: int, submission: Submission, now: datetime) -> Version:
    with transaction.atomic():
        _lock(bot.owner)  # concurrent submissions must see each other
        _check(bot, content, size, now)
        latest = bot.versions.aggregate(number=Max("number"))["number"] or 0
        version = Version.objects.create(
            bot=bot,
            number=latest + 1,
            kind=submission.kind,
            content=content,
            spec=submission.spec,
            language=submission.language,
            size=size,
            note=submission.note,
            goes_live=submission.goes_live,
            created=now,
            changed=now,
        )
        note(ChangeKind.VERSION_CHANGED, version.pk, now)
        return version


def _check(bot: Bot, content: str, size: int, now: datetime) -> None:
    limits = settings.DAMRAK_LIMITS
    if same := bot.versions.filter(content=content).first():
        raise SameContent(same.number)
    recent = Version.objects.filter(bot__owner=bot.owner, created__gt=now - _HOUR)
    if recent.count() >= limits.submissions_per_hour:
        most = limits.submissions_per_hour
        raise LimitReached(codes.SubmissionLimit(most), most, _HOUR)
    if size and storage_of(bot.owner) + size > limits.storage_mb * _MB:
        raise LimitReached(codes.StorageLimit(limits.storage_mb), limits.storage_mb)


def _lock(owner: User) -> None:
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)
