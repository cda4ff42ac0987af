"""Who follows what: begin, end and list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Q, QuerySet

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot
from damrak_ladder.follows.finals import final_of
from damrak_ladder.follows.models import Follow, Subject
from damrak_ladder.matches.models import Ladder
from damrak_ladder.notices.results import FINAL_IS_SET
from damrak_ladder.tournaments.disclosure import Disclosed, disclosed
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Tournament

MOST: Final = 200
"""The number of things that a user can follow."""


_NAMES: Final = {
    Subject.BOT: "slug",
    Subject.AUTHOR: "username",
    Subject.LADDER: "slug",
    Subject.TOURNAMENT: "slug",
}


@dataclass(frozen=True, slots=True)
class Followed:
    """Something that a user follows: the name in its address, and the name that is shown."""

    subject: Subject
    name: str
    title: str


def follow(user: User, subject: Subject, name: str, now: datetime) -> bool:
    """Let the user follow this; return False if there is no such thing or the limit is reached."""
    target = target_of(subject, name)
    if target is None or Follow.objects.filter(user=user).count() >= MOST:
        return False
    phase = ""
    if subject is Subject.TOURNAMENT:
        phase = phase_of(disclosed(public_tournaments().get(pk=target), None))
    made = {"created": now, "phase": phase}
    Follow.objects.get_or_create(user=user, subject=subject, target=target, defaults=made)
    return True


def unfollow(user: User, subject: Subject, name: str) -> None:
    """End it, if the user follows this."""
    target = target_of(subject, name)
    if target is not None:
        Follow.objects.filter(user=user, subject=subject, target=target).delete()


def follows(user: User, subject: Subject, name: str) -> bool:
    """Return whether the user follows this."""
    target = _rows(subject).filter(**{_NAMES[subject]: name}).values("pk")
    return Follow.objects.filter(user=user, subject=subject, target__in=target).exists()


def target_of(subject: Subject, name: str) -> int | None:
    """Return the key of something that everyone may see, by the name in its address."""
    if "\0" in name:  # not every database can search for it
        return None
    found: int | None = (
        _rows(subject).filter(**{_NAMES[subject]: name}).values_list("pk", flat=True).first()
    )
    return found


def public_tournaments() -> QuerySet[Tournament, Tournament]:
    """Return the tournaments that everyone may see."""
    return Tournament.objects.filter(visibility="public").exclude(phase=Phase.DRAFT.value)


def followed_by(user: User) -> list[Followed]:
    """Return what the user follows, in a constant number of queries."""
    rows = list(Follow.objects.filter(user=user).order_by("-pk")[:MOST])
    found = {
        subject: _named(subject, [row.target for row in rows if row.subject == subject])
        for subject in Subject
    }
    listed = []
    for row in rows:
        subject = Subject(row.subject)
        named = found[subject].get(row.target)
        if named is not None:
            listed.append(Followed(subject, *named))
    return listed


def _named(subject: Subject, targets: list[int]) -> dict[int, tuple[str, str]]:
    title = "username" if subject is Subject.AUTHOR else "name"
    rows = _rows(subject).filter(pk__in=targets).values_list("pk", _NAMES[subject], title)
    return {pk: (name, shown) for pk, name, shown in rows}


def _rows(subject: Subject) -> QuerySet[Any, Any]:
    match subject:
        case Subject.BOT:
            return Bot.objects.all()
        case Subject.AUTHOR:
            return User.objects.filter(bots__isnull=False).distinct()
        case Subject.LADDER:
            return Ladder.objects.all()
        case Subject.TOURNAMENT:
            return public_tournaments()


def phase_of(seen: Disclosed) -> str:
    """Return the phase of a tournament that its followers were told of last."""
    return str(seen.state.phase) if final_of(seen) is None else FINAL_IS_SET


def of_bot(bot: Bot) -> Q:
    """Return the condition on follows of this bot or its author."""
    return Q(subject=Subject.BOT, target=bot.pk) | Q(subject=Subject.AUTHOR, target=bot.owner_id)
