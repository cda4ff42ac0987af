"""News for followers, told by a periodic duty.

Each run considers the events of the last hours. A notice has a key that follows from its event, so
an event that is considered again causes no second notice, and nothing is lost if a run is killed.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from damrak_ladder.bots.models import Promotion
from damrak_ladder.follows import texts
from damrak_ladder.follows.finals import FinalMatch, final_of
from damrak_ladder.follows.models import Follow, Subject
from damrak_ladder.follows.registry import of_bot, phase_of, public_tournaments
from damrak_ladder.highlights.models import Story, StoryKind
from damrak_ladder.message_codes.story_codes import WinStreak
from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.notices.models import Notice
from damrak_ladder.notices.results import STREAK, UPSET
from damrak_ladder.notices.texts import Said
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Notable, NotableKind, Standing
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.documents import names_of
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.visibility import visible_matches

WINDOW: Final = timedelta(hours=6)
_BEFORE: Final = frozenset({"", Phase.DRAFT, Phase.OPEN, Phase.CLOSED})
"""The phases before a tournament begins."""

LATEST: Final = 200
"""The number of latest events of each kind that a run considers."""


def tell_followers(now: datetime) -> int:
    """Tell followers what is new; return the number of new notices."""
    if not Follow.objects.exists():
        return 0
    since = now - WINDOW
    return (
        _versions(since, now)
        + _ranks(since, now)
        + _upsets(since, now)
        + _streaks(since, now)
        + _tournaments(now)
    )


def _versions(since: datetime, now: datetime) -> int:
    rows = Promotion.objects.filter(after__isnull=False).select_related("bot", "after")
    told = 0
    for row in rows.order_by("-pk")[:LATEST]:
        if row.at > since and row.after is not None:
            said = texts.new_version(row.bot.name, row.after.number)
            path = f"/bots/{row.bot.slug}/{row.after.number}/"
            told += _tell(of_bot(row.bot), row.at, f"followed-live:{row.pk}", said, path, now)
    return told


def _ranks(since: datetime, now: datetime) -> int:
    """Tell of the same changes of rank as the owners are told of (`fit/rank_changes.py`)."""
    kinds = Notice.objects.filter(kind=Kind.RANK_CHANGE, created__gt=since)
    told = 0
    for key, created in kinds.order_by("-pk").values_list("key", "created")[:LATEST]:
        _, ladder, version, *_rest = key.split(":")
        found = Standing.objects.filter(
            ladder=int(ladder), version=int(version), seats=ALL, rank__isnull=False
        )
        row = found.select_related("version__bot", "ladder").first()
        if row is None or row.rank is None:
            continue
        said = texts.rank_reached(row.version.bot.name, row.ladder.name, row.rank)
        path = f"/ladders/{row.ladder.slug}/"
        told += _tell(of_bot(row.version.bot), created, f"followed-{key}", said, path, now)
    return told


def _upsets(since: datetime, now: datetime) -> int:
    rows = Notable.objects.filter(kind=NotableKind.UPSET, at__gt=since)
    rows = rows.filter(match__in=visible_matches(None))
    told = 0
    for row in rows.select_related("version__bot", "ladder").order_by("-pk")[:LATEST]:
        said = texts.upset(row.version.bot.name, row.ladder.name, round(100 * row.value))
        wanted = of_bot(row.version.bot) | Q(subject=Subject.LADDER, target=row.ladder_id)
        key = f"{UPSET}{row.match_id}"
        told += _tell(wanted, row.at, key, said, _game(row.match_id), now)
    return told


def _streaks(since: datetime, now: datetime) -> int:
    rows = Story.objects.filter(kind=StoryKind.STREAK, at__gt=since)
    rows = rows.filter(match__in=visible_matches(None))
    told = 0
    for row in rows.select_related("version__bot", "ladder").order_by("-pk")[:LATEST]:
        if isinstance(row.told, WinStreak):
            said = texts.streak(row.version.bot.name, row.ladder.name, row.told.games)
            key = f"{STREAK}{row.match_id}:{row.version_id}"
            told += _tell(of_bot(row.version.bot), row.at, key, said, _game(row.match_id), now)
    return told


def _game(match: int) -> str:
    """Return the path of the start of a game."""
    return f"/matches/{match}/?at=0"


def _tournaments(now: datetime) -> int:
    """Tell that a tournament has begun, that its final is set, or that its result is final.

    Everything is derived from what is public, so hidden results cause no news.
    """
    told = 0
    going = Follow.objects.filter(subject=Subject.TOURNAMENT).exclude(phase=Phase.FINAL)
    followed = public_tournaments().filter(pk__in=going.values("target"))
    for one in followed.order_by("pk"):
        seen = disclosed(one, None)
        final = final_of(seen)
        phase = phase_of(seen)
        late = going.filter(target=one.pk).exclude(phase=phase).select_related("user")
        said = _said_of(one, phase, final, now) if late else None
        for row in late:
            is_news = phase != Phase.RUNNING or row.phase in _BEFORE
            if said is not None and is_news:
                key = f"followed-tournament:{one.pk}:{phase}"
                path = f"/tournaments/{one.slug}/"
                told += tell(row.user, Kind.FOLLOWED, key, *said, path, now)
            Follow.objects.filter(pk=row.pk).update(phase=phase)
    return told


def _said_of(one: Tournament, phase: str, final: FinalMatch | None, now: datetime) -> Said | None:
    if final is not None:
        names = names_of(one)
        bots = [names.entrants[entrant].bot for entrant in final.entrants]
        players = [bot.name or bot.slug for bot in bots]
        at = final.at if final.at is not None and final.at > now else None
        return texts.final_is_set(one.name, players, at)
    if phase == Phase.RUNNING:
        return texts.begins(one.name)
    return texts.is_final(one.name) if phase == Phase.FINAL else None


def _tell(wanted: Q, at: datetime, key: str, said: Said, path: str, now: datetime) -> int:
    """Tell everyone whose follows match, and who followed before the event."""
    rows = Follow.objects.filter(wanted, created__lte=at, user__is_active=True)
    users = {row.user_id: row.user for row in rows.select_related("user")}
    return sum(tell(user, Kind.FOLLOWED, key, *said, path, now) for user in users.values())
