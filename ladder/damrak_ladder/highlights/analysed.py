"""Stories of notable games: upsets, and what only the analysis of a game shows."""

from __future__ import annotations

from typing import Any, Final

from damrak_ladder.analyses.models import AnalysisState
from damrak_ladder.analyses.requests import content_of
from damrak_ladder.highlights.models import Story, StoryKind
from damrak_ladder.highlights.storage import Telling, keep
from damrak_ladder.message_codes import story_codes as codes
from damrak_ladder.message_codes.message import Message
from damrak_ladder.standings.models import Notable, NotableKind
from damrak_ladder.tournaments.visibility import visible_matches, visible_seats

LOW: Final = 0.15
"""The highest chance, at any time of a game, after which a win is a comeback."""

MANY: Final = 6
"""The number of contracts fulfilled in a game that is a story."""

LATEST: Final = 100


def collect_notable() -> None:
    """Add stories of the notable games, of which there are few at a time."""
    rows = Notable.objects.filter(match__in=visible_matches(None)).order_by("-at", "-pk")
    full = rows.select_related("ladder", "version__bot", "match__analysis")[:LATEST]
    known = set(
        Story.objects.filter(match__in=[row.match_id for row in full]).values_list("kind", "match")
    )
    for row in full:
        names = (row.version.bot.name, row.ladder.name)
        if row.kind == NotableKind.UPSET and (StoryKind.UPSET, row.match_id) not in known:
            told = codes.Upset(*names, _odds(row.value))
            _keep(row, StoryKind.UPSET, told, 6.0 + 1 - row.value)
        _tell_analysed(row, names, known)


def _tell_analysed(row: Notable, names: tuple[str, str], known: set[tuple[str, int]]) -> None:
    analysis = getattr(row.match, "analysis", None)
    if analysis is None or analysis.state != AnalysisState.DONE:
        return
    if {(StoryKind.COMEBACK, row.match_id), (StoryKind.CONTRACTS, row.match_id)} & known:
        return
    seats = visible_seats(None).filter(match=row.match_id, version=row.version_id)
    seat = seats.filter(result__place=1).values_list("number", flat=True).first()
    if seat is None:
        return
    content: dict[str, Any] = content_of(analysis)
    lowest = min((one[0] for one in content["chances"]["seats"][seat]), default=1.0)
    if lowest <= LOW:
        told = codes.Comeback(*names, _odds(lowest))
        _keep(row, StoryKind.COMEBACK, told, 7.0 + 1 - lowest)
    done = content["points"][seat]
    count = sum(1 for one in done["contracts"] if "moment" in one)
    if count >= MANY:
        _keep(row, StoryKind.CONTRACTS, codes.ContractMonster(*names, count), 5.0 + count / 100)


def _odds(chance: float) -> int:
    """Return n for a chance of one in n."""
    return round(1 / max(chance, 0.001))


def _keep(row: Notable, kind: StoryKind, told: Message, worth: float) -> None:
    keep(row.ladder, Telling(kind, row.match_id, row.version_id, told, worth, row.at))
