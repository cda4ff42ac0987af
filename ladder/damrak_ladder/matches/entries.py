"""Entries of bots on ladders: entering, leaving, and the versions eligible for seats."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from damrak_ladder.bots.house import house_version
from damrak_ladder.bots.models import Bot, Kind, Version
from damrak_ladder.matches.errors import NotAdmitted
from damrak_ladder.matches.models import Entry, Ladder
from damrak_ladder.message_codes import trial_codes as codes


def enter(ladder: Ladder, bot: Bot, now: datetime) -> Entry:
    """Enter a bot on a ladder; entering again has no effect.

    Raises:
        NotAdmitted: the ladder is closed, or not for bots of this kind.
    """
    if not ladder.is_open:
        raise NotAdmitted(codes.LadderClosed(ladder.name))
    version = bot.live or bot.versions.order_by("-number").first()
    if version is None:
        raise NotAdmitted(codes.BotWithoutVersion(bot.slug))
    if not _is_admitted(ladder, version):
        raise NotAdmitted(codes.LadderNotForKind(ladder.name, version.kind))
    return _enter(ladder, bot, now)


def leave(ladder: Ladder, bot: Bot, now: datetime) -> bool:
    """Take a bot off a ladder, keeping its results; False if it was not on it."""
    return bool(Entry.objects.filter(ladder=ladder, bot=bot, left=None).update(left=now))


def enter_all(bot: Bot, now: datetime) -> list[Ladder]:
    """Enter a bot on all open ladders that admit every bot of its kind; return the new ones.

    Ladders that the bot has left are skipped.
    """
    version = bot.live
    if version is None or version.kind == Kind.HOUSE:
        return []
    entered = []
    known = set(Entry.objects.filter(bot=bot).values_list("ladder_id", flat=True))
    for ladder in Ladder.objects.filter(is_open=True, enters_all=True).order_by("pk"):
        if ladder.pk not in known and _is_admitted(ladder, version):
            _enter(ladder, bot, now)
            entered.append(ladder)
    return entered


def enter_everybody(ladder: Ladder, now: datetime) -> int:
    """Enter all bots that a ladder admits and that were never on it; return their number."""
    missing = Bot.objects.filter(live__kind__in=ladder.admits).exclude(live__kind=Kind.HOUSE)
    missing = missing.exclude(entries__ladder=ladder)
    rows = [Entry(ladder=ladder, bot=bot, entered=now) for bot in missing.order_by("pk")]
    return len(Entry.objects.bulk_create(rows, ignore_conflicts=True))


def seat_house(ladder: Ladder, now: datetime) -> None:
    """Enter the house bots that a ladder names, and take off all others."""
    with transaction.atomic():
        bots = [house_version(spec, now).bot for spec in ladder.house]
        for bot in bots:
            _enter(ladder, bot, now)
        others = Entry.objects.filter(ladder=ladder, left=None, bot__live__kind=Kind.HOUSE)
        others.exclude(bot__in=bots).update(left=now)


def live_versions(ladder: Ladder) -> list[Version]:
    """Return the live versions of a ladder's bots that it admits, in order of primary key.

    A bot whose live version is of a kind that the ladder does not admit waits for its next version.
    """
    here = Version.objects.filter(
        live_in__isnull=False, bot__entries__ladder=ladder, bot__entries__left=None
    )
    admitted = Q(kind__in=[kind for kind in ladder.admits if kind != Kind.HOUSE])
    return list(
        here.filter(admitted | Q(kind=Kind.HOUSE, spec__in=ladder.house))
        .select_related("bot")
        .order_by("pk")
    )


def _is_admitted(ladder: Ladder, version: Version) -> bool:
    if version.kind == Kind.HOUSE:
        return version.spec in ladder.house
    return version.kind in ladder.admits


def _enter(ladder: Ladder, bot: Bot, now: datetime) -> Entry:
    entry, is_new = Entry.objects.get_or_create(ladder=ladder, bot=bot, defaults={"entered": now})
    if not is_new and entry.left is not None:
        Entry.objects.filter(pk=entry.pk).update(left=None, since=None, waited=0.0)
        entry.refresh_from_db()
    return entry
