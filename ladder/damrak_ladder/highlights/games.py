"""What the games of one block change: runs, records, the form of the week, and stories."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.highlights.models import (
    Record,
    RecordKind,
    Run,
    StoryKind,
    WeekForm,
)
from damrak_ladder.highlights.storage import Telling, keep
from damrak_ladder.matches.models import Ladder
from damrak_ladder.message_codes import story_codes as codes
from damrak_ladder.message_codes.message import Message
from damrak_ladder.ratings.scale import ELO_PER_LOGIT
from damrak_ladder.standings.packed_blocks import Outcome

STREAKS: Final = frozenset({10, 20, 30, 50, 75, 100, 150, 200})
"""The lengths of runs of wins that are stories."""


@dataclass(slots=True)
class Book:
    """What is known about the versions of a ladder while its blocks are read."""

    ladder: Ladder
    versions: Mapping[int, Version]
    elos: Mapping[int, float]
    runs: dict[int, Run]
    records: dict[str, Record]
    forms: dict[tuple[date, int], WeekForm]
    stories: list[Telling] = field(default_factory=list)

    def save(self) -> None:
        """Store all changes."""
        for row in (*self.runs.values(), *self.records.values(), *self.forms.values()):
            row.save()
        for story in self.stories:
            keep(self.ladder, story)


def read_block(
    book: Book,
    outcome: Outcome,
    matches: Sequence[int | None],
    at: datetime,
    *,
    is_young: bool,
) -> None:
    """Add the games of a block that were decided without a fault.

    On a young ladder records are set, but are no stories.
    """
    players = outcome.block.players
    games = zip(outcome.block.games, outcome.points, outcome.faults, matches, strict=True)
    for came, points, faults, match in games:
        winners = [player for player, place in enumerate(came.places) if place == 1]
        if match is None or any(faults) or len(winners) != 1:
            continue
        won = _Won(match, players[winners[0]], points[winners[0]], _lead(points, winners[0]), at)
        _count_form(book, players, won)
        _count_run(book, players, won)
        _count_records(book, won, is_young=is_young)
        if won.lead == 1:
            _tell(book, won, StoryKind.ONE_POINT, codes.OnePoint(*_names(book, won)), 1.0)


@dataclass(frozen=True, slots=True)
class _Won:
    """A game with one winner."""

    match: int
    version: int
    points: int
    lead: int
    at: datetime


def monday_of(day: date) -> date:
    """Return the Monday of the week of a day."""
    return day - timedelta(days=day.weekday())


def _lead(points: Sequence[int], winner: int) -> int:
    return points[winner] - max(one for at, one in enumerate(points) if at != winner)


def _count_form(book: Book, players: Sequence[int], won: _Won) -> None:
    if not all(player in book.elos for player in players):
        return
    monday = monday_of(won.at.date())
    highest = max(book.elos[player] for player in players)
    powers = [math.exp((book.elos[player] - highest) / ELO_PER_LOGIT) for player in players]
    for player, power in zip(players, powers, strict=True):
        row = book.forms.get((monday, player))
        if row is None:
            # An older week may have been stored by an earlier run.
            row, _ = WeekForm.objects.get_or_create(
                ladder=book.ladder, version_id=player, monday=monday
            )
            book.forms[monday, player] = row
        row.games += 1
        row.wins += player == won.version
        row.ahead += (player == won.version) - power / sum(powers)


def _count_run(book: Book, players: Sequence[int], won: _Won) -> None:
    for player in players:
        run = book.runs[player]
        if player != won.version:
            run.current = 0
            continue
        run.wins += 1
        run.current += 1
        if run.wins == 1 and book.versions[player].kind != Kind.HOUSE:
            _tell(book, won, StoryKind.FIRST_WIN, codes.FirstWin(*_names(book, won)), 3.0)
        if run.current in STREAKS:
            told = codes.WinStreak(*_names(book, won), run.current)
            _tell(book, won, StoryKind.STREAK, told, 4.0 + run.current / 100)
        _improve(book, RecordKind.STREAK, run.current, won)


def _count_records(book: Book, won: _Won, *, is_young: bool) -> None:
    _improve(book, RecordKind.LEAD, won.lead, won)
    if _improve(book, RecordKind.POINTS, won.points, won) and not is_young:
        told = codes.PointsRecord(*_names(book, won), won.points)
        _tell(book, won, StoryKind.RECORD, told, 10.0 + won.points / 1000)


def _improve(book: Book, kind: RecordKind, value: int, won: _Won) -> bool:
    old = book.records.get(kind)
    if old is not None and old.value >= value:
        return False
    row = old or Record(ladder=book.ladder, kind=kind)
    row.value, row.match_id, row.version_id, row.at = value, won.match, won.version, won.at
    book.records[kind] = row
    return True


def _names(book: Book, won: _Won) -> tuple[str, str]:
    return book.versions[won.version].bot.name, book.ladder.name


def _tell(book: Book, won: _Won, kind: StoryKind, told: Message, worth: float) -> None:
    book.stories.append(Telling(kind, won.match, won.version, told, worth, won.at))
