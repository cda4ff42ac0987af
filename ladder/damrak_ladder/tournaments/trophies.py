"""Trophies of bots: the first places of tournaments whose results are final and public."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Final

from damrak_ladder.tournaments.access import listed_tournaments
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.divisions import play_offs_of
from damrak_ladder.tournaments.log.values import Phase, Standing
from damrak_ladder.tournaments.models import Entrant, Tournament

PLACES: Final = 3
MOST: Final = 20
"""The newest final tournaments of a list that are considered."""

_MOST_CACHED: Final = 512

Podium = Mapping[int, tuple[int, str, int, int]]
"""For each of the first entrants by bot: the place; name, number and size of the division."""

_podiums: OrderedDict[str, Podium] = OrderedDict()
_lock: Final = Lock()


@dataclass(frozen=True, slots=True)
class Trophy:
    """A place among the first of a tournament or of a division."""

    tournament: str
    name: str
    bot: str
    bot_name: str
    place: int
    division: str
    number: int  # of the division, from 1; 0 if there is only one
    entrants: int


def trophies(bots: Collection[int]) -> list[Trophy]:
    """Return the trophies of these bots that everyone may know, the newest first."""
    public = listed_tournaments(None).filter(phase=Phase.FINAL)
    rows = Entrant.objects.filter(bot__in=bots, is_guest=False, tournament__in=public)
    newest = rows.select_related("tournament", "bot").order_by("-tournament", "number")[:MOST]
    found = []
    for row in newest:
        place = podium(row.tournament).get(row.bot_id)
        if place is not None:
            cup = row.tournament
            found.append(Trophy(cup.slug, cup.name, row.bot.slug, row.bot.name, *place))
    return found


def podium(tournament: Tournament) -> Podium:
    """Return the first places of a tournament as everyone may know them.

    The log of a final tournament determines its results, so that they are cached by its digest.
    """
    with _lock:
        if tournament.digest in _podiums:
            _podiums.move_to_end(tournament.digest)
            return _podiums[tournament.digest]
    found = _podium(tournament)
    with _lock:
        _podiums[tournament.digest] = found
        if len(_podiums) > _MOST_CACHED:
            _podiums.popitem(last=False)
    return found


def _podium(tournament: Tournament) -> Podium:
    seen = disclosed(tournament, None)
    state = seen.state
    if state.phase is not Phase.FINAL:
        return {}
    duels = set(play_offs_of(state.rules).values())
    own = [stage for number, stage in sorted(state.stages.items()) if number not in duels]
    fed = {source.stage for stage in own for source in stage.plan.sources}
    last = [stage for stage in own if stage.number not in fed]
    found: dict[int, tuple[int, str, int, int]] = {}
    for number, stage in enumerate(last, 1):
        for row in seen.table(stage):
            entrant = state.entrants[row.number]
            if row.place is None or row.place > PLACES or entrant.standing is not Standing.IN:
                continue
            which = number if len(last) > 1 else 0
            size = len(stage.entrants)
            found.setdefault(entrant.bot, (row.place, stage.plan.name, which, size))
    return found
