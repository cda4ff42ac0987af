"""The seasons of a league: its divisions, who moved between them, and who is really stronger.

A division is a stage whose entrants do not come from another stage; a play-off is one whose
entrants do. Everything follows from what the viewer may know of each season.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from damrak_ladder.tournaments.access import Viewer, listed_tournaments, may_edit_league
from damrak_ladder.tournaments.disclosure import Disclosed, disclosed
from damrak_ladder.tournaments.documents import Names, names_of
from damrak_ladder.tournaments.evidence import Known, strengths, visible_games
from damrak_ladder.tournaments.formats import chance_stronger
from damrak_ladder.tournaments.log.state import Stage
from damrak_ladder.tournaments.log.values import Phase, Standing
from damrak_ladder.tournaments.models import League, Tournament

SHOWN: Final = 4
"""Seasons of one page."""


@dataclass(frozen=True, slots=True)
class Division:
    """A division, or a play-off, with its table."""

    number: int  # from 1
    name: str
    is_play_off: bool
    rows: Sequence[dict[str, Any]]  # place, bot, name, points, played


@dataclass(frozen=True, slots=True)
class Move:
    """A bot that changed its division; divisions count from 1, None is outside the league.

    `chance` is the probability that a promoted bot is stronger than the bot `instead_of`, which
    went down in its place; None without games of both.
    """

    bot: str
    name: str
    why: str  # "promoted", "relegated", "newcomer" or "withdrew"
    was: int | None
    now: int | None
    instead_of: str = ""
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Season:
    """A season, and the moves between the one before it and this one."""

    number: int
    slug: str
    name: str
    phase: str
    divisions: Sequence[Division]
    moves: Sequence[Move]

    @property
    def champion(self) -> dict[str, Any] | None:
        """Return the first of the first division, once the season has ended."""
        rows = self.divisions[0].rows if self.divisions else ()
        return rows[0] if rows and self.phase in ("over", "final") else None


@dataclass(frozen=True, slots=True)
class _Played:
    tournament: Tournament
    seen: Disclosed
    names: Names

    def members(self) -> dict[int, int]:
        """Return the division of each bot, from 1; guests are left out."""
        found: dict[int, int] = {}
        for number, stage in enumerate(_divisions(self.seen), 1):
            for entrant in stage.entrants:
                one = self.seen.state.entrants[entrant]
                if not one.is_guest and one.standing is Standing.IN:
                    found.setdefault(one.bot, number)
        return found

    def bots(self) -> dict[int, tuple[str, str]]:
        """Return slug and name of each bot."""
        rows = self.names.entrants.values()
        return {one.bot_id: (one.bot.slug, one.bot.name) for one in rows}


def visible_leagues(viewer: Viewer) -> QuerySet[League]:
    """Return the leagues with a season that lists show to the viewer."""
    return League.objects.filter(seasons__in=listed_tournaments(viewer)).distinct()


def league_at(slug: str, viewer: Viewer) -> League | None:
    """Return the league of this address, if the viewer finds it in lists or may edit it."""
    league = League.objects.filter(slug=slug).first()
    if league is None:
        return None
    is_shown = visible_leagues(viewer).filter(pk=league.pk).exists()
    return league if is_shown or may_edit_league(viewer, league) else None


def seasons_of(league: League, viewer: Viewer, before: int, most: int = SHOWN) -> list[Season]:
    """Return the newest seasons before this one, the newest first."""
    rows = listed_tournaments(viewer).filter(league=league, season__lt=before)
    rows = rows.exclude(phase=Phase.CANCELLED)
    newest = rows.select_related("owner", "league").order_by("-season")[: most + 1]
    played = [_Played(one, disclosed(one, viewer), names_of(one)) for one in newest]
    known = strengths([game for one in played for game in visible_games(one.tournament, one.seen)])
    found = []
    for at, one in enumerate(played[:most]):
        earlier = played[at + 1] if at + 1 < len(played) else None
        found.append(_season(one, earlier, known))
    return found


def _season(one: _Played, earlier: _Played | None, known: Mapping[int, Known]) -> Season:
    moves = () if earlier is None else _moves(earlier, one, known)
    state = one.seen.state
    return Season(
        number=one.tournament.season or 0,
        slug=one.tournament.slug,
        name=one.tournament.name,
        phase=str(state.phase),
        divisions=[
            _division(one, stage, number) for number, stage in enumerate(_in_order(one.seen), 1)
        ],
        moves=moves,
    )


def _division(one: _Played, stage: Stage, number: int) -> Division:
    rows = [
        {
            "place": row.place,
            **one.names.short(row.number),
            "points": str(row.points),
            "played": row.played,
        }
        for row in one.seen.table(stage)
    ]
    return Division(number, stage.plan.name, _is_play_off(stage), rows)


def _moves(earlier: _Played, later: _Played, known: Mapping[int, Known]) -> list[Move]:
    was, now = earlier.members(), later.members()
    if not now:
        return []
    bots = earlier.bots() | later.bots()
    up = sorted((bot for bot in now if now[bot] < was.get(bot, 0)), key=lambda bot: now[bot])
    down = [bot for bot in now if bot in was and now[bot] > was[bot]]
    found = []
    for bot in up:
        fallen = next((one for one in down if was[one] == now[bot] and now[one] == was[bot]), None)
        if fallen is not None:
            down.remove(fallen)
            found.append(_promotion(bots, bot, fallen, was, now, known))
            found.append(Move(*bots[fallen], "relegated", was[fallen], now[fallen]))
        else:
            found.append(Move(*bots[bot], "promoted", was[bot], now[bot]))
    found += [Move(*bots[bot], "relegated", was[bot], now[bot]) for bot in down]
    fresh = sorted(now.keys() - was.keys(), key=lambda bot: bots[bot])
    gone = sorted(was.keys() - now.keys(), key=lambda bot: bots[bot])
    found += [Move(*bots[bot], "newcomer", None, now[bot]) for bot in fresh]
    found += [Move(*bots[bot], "withdrew", was[bot], None) for bot in gone]
    return found


def _promotion(
    bots: Mapping[int, tuple[str, str]],
    bot: int,
    fallen: int,
    was: Mapping[int, int],
    now: Mapping[int, int],
    known: Mapping[int, Known],
) -> Move:
    chance = None
    if bot in known and fallen in known:
        one, other = known[bot], known[fallen]
        chance = chance_stronger((one.elo, one.error), (other.elo, other.error))
    return Move(*bots[bot], "promoted", was[bot], now[bot], bots[fallen][0], chance)


def _divisions(seen: Disclosed) -> list[Stage]:
    return [stage for stage in _in_order(seen) if not _is_play_off(stage)]


def _in_order(seen: Disclosed) -> list[Stage]:
    stages = [seen.state.stages[number] for number in sorted(seen.state.stages)]
    return sorted(stages, key=_is_play_off)


def _is_play_off(stage: Stage) -> bool:
    return any(source.stage is not None for source in stage.plan.sources)
