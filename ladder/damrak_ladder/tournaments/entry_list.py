"""Lists of bots that an organiser enters at once: names, house bots, ladders, other tournaments."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.house import HOUSE_BOTS, check_spec, house_slug, house_version
from damrak_ladder.bots.models import Bot, State as VersionState, Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.read.table import table
from damrak_ladder.tournaments import desk, journal
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.values import Phase, Standing
from damrak_ladder.tournaments.models import Tournament

MOST: Final = 500
_LONGEST_SLUG: Final = 40
_BETWEEN: Final = re.compile(r"[\s;]+|,(?!\w+=)")  # mcts:ms=5,iterations=9 is one name


@dataclass(frozen=True, slots=True)
class Line:
    """A bot of the list, and what would become of it."""

    name: str  # as given: a slug, or the description of a house bot
    bot: Bot | None = None  # None: a house bot that would be created, or unknown
    version: Version | None = None
    warning: str = ""  # it would be entered, but the organiser should know this
    problem: str = ""  # it would be left out


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of bots with the state of each, and a warning that concerns all."""

    lines: list[Line]
    warning: str = ""
    is_beyond: bool = False  # there are not enough places for all

    @property
    def new(self) -> list[Line]:
        """The bots that would be entered."""
        return [line for line in self.lines if not line.problem]

    @property
    def left_out(self) -> list[Line]:
        """The bots that would not be entered."""
        return [line for line in self.lines if line.problem]


def names_in(text: str) -> list[str]:
    """Return the names in a text, each once, in their order."""
    return list(dict.fromkeys(name for name in _BETWEEN.split(text) if name))


def listed(state: State, names: Iterable[str]) -> Listed:
    """Return what would become of these bots, without any effect."""
    names = list(names)
    slugs = {name: _slug(name) for name in names}
    rows = Bot.objects.filter(slug__in=slugs.values()).select_related("live", "owner")
    bots = {bot.slug: bot for bot in rows}
    entered = {one.bot for one in state.entrants.values() if one.standing is Standing.IN}
    lines, seen = [], set()
    for name, slug in slugs.items():
        if slug not in seen:
            lines.append(_line(state, name, bots.get(slug), entered))
        seen.add(slug)
    found = Listed(lines)
    total, most = len(entered) + len(found.new), state.rules.entry.most
    if found.new and total > most:
        said = _("Afterwards %(total)s bots are entered, more than the %(most)s places.")
        return Listed(lines, said % {"total": total, "most": most}, is_beyond=True)
    return found


def enter_all(
    tournament: Tournament,
    lines: Iterable[Line],
    *,
    is_guest: bool,
    is_beyond: bool,
    actor: User,
    serial: int,
    key: str,
    now: datetime,
) -> int:
    """Enter all these bots, or none of them; return their number. Once for each key.

    Raises:
        BadTournament, KeyReused, NotAllowed, Refused, Stale
    """
    done = 0
    with transaction.atomic():
        for line in lines:
            slug = house_version(line.name, now).bot.slug if line.bot is None else line.bot.slug
            asked = desk.Request(
                Kind.ENTER,
                {"slug": slug, "guest": is_guest, "beyond_places": is_beyond},
                actor=actor,
                serial=serial,
                key=f"{key}-{done}",
            )
            serial = desk.perform(tournament, asked, now).serial
            done += 1
    return done


def names_of_ladder(ladder: Ladder, most: int) -> list[str]:
    """Return the first bots of a ladder, the best first."""
    return [row.bot_slug for row in table(ladder, limit=most, with_trend=False)]


def names_of_tournament(tournament: Tournament, most: int) -> list[str]:
    """Return the bots that take part in a tournament, by seed or in the order of entry."""
    entrants = [
        one for one in journal.state_of(tournament).entrants.values() if one.standing is Standing.IN
    ]
    entrants.sort(key=lambda one: (one.seed is None, one.seed or 0, one.number))
    slugs = dict(Bot.objects.filter(pk__in=[one.bot for one in entrants]).values_list("pk", "slug"))
    return [slugs[one.bot] for one in entrants[:most]]


def _slug(name: str) -> str:
    """Return the slug of a bot that is named by it, or by the description of a house bot."""
    return house_slug(name) if _is_spec(name) else name


def _is_spec(name: str) -> bool:
    try:
        check_spec(name)
    except ValueError:
        return False
    return len(house_slug(name)) <= _LONGEST_SLUG


def _line(state: State, name: str, bot: Bot | None, entered: set[int]) -> Line:
    if bot is None and _is_spec(name):
        return Line(name)
    if bot is None:
        return Line(name, problem=_unknown(name))
    if bot.pk in entered:
        return Line(name, bot, problem=_("is entered already"))
    version = bot.live
    if version is None or version.state != VersionState.QUALIFIED:
        if state.phase in (Phase.DRAFT, Phase.OPEN):
            said = _("has no qualified version yet; it needs one when entries close")
            return Line(name, bot, warning=said)
        return Line(name, bot, problem=_("has no qualified version"))
    if version.kind not in state.rules.entry.kinds:
        return Line(name, bot, version, _("authors may not enter this kind of bot"))
    return Line(name, bot, version)


def _unknown(name: str) -> str:
    kind, colon, _parameters = name.partition(":")
    if colon and kind in HOUSE_BOTS:
        try:
            check_spec(name)
        except ValueError as problem:
            return str(problem)
    return _("no bot has this name")
