"""Players as lists of results name them: only what a link to a version needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext

from damrak_ladder.bots.house import GUEST, PREFIX
from damrak_ladder.bots.models import Version


@dataclass(frozen=True, slots=True)
class BotName:
    """The slug and the name of a bot."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class Player:
    """A version of a bot."""

    pk: int
    number: int
    bot: BotName


def players(keys: Iterable[int]) -> dict[int, Player]:
    """Return these versions by their keys, in one query."""
    rows = Version.objects.filter(pk__in=list(keys))
    names = rows.values_list("pk", "number", "bot__slug", "bot__name")
    return {pk: Player(pk, number, BotName(slug, name)) for pk, number, slug, name in names}


def guest_name(slug: str) -> str:
    """Return the displayed name of the stand-in for a person; empty for a bot."""
    if not slug.startswith(PREFIX + GUEST):
        return ""
    number = slug.removeprefix(PREFIX + GUEST).lstrip("-")
    return gettext("Guest %(number)s") % {"number": number} if number else gettext("Guest")
