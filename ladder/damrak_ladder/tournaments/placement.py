"""The division of each bot in a season, by the final tables of the season before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from damrak_ladder.message_codes import season_codes as codes
from damrak_ladder.tournaments.disclosure import disclosed
from damrak_ladder.tournaments.divisions import (
    divisions_of,
    fitted,
    league_rules,
    play_offs_of,
)
from damrak_ladder.tournaments.formats import LeagueRules, Move, next_divisions, play_offs
from damrak_ladder.tournaments.log.course import Course
from damrak_ladder.tournaments.log.errors import NotPossible
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.tables import table_of
from damrak_ladder.tournaments.log.values import Phase
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.tournaments.seeding import ratings_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a season decided, with the keys of bots: its tables, and the winners of play-offs."""

    rules: LeagueRules
    tables: Sequence[Sequence[int]]
    winners: dict[int, int]  # by the index of the upper division


@dataclass(frozen=True, slots=True)
class Placement:
    """The start of a season: seeds, moves between divisions, and stages whose sizes changed."""

    seeds: list[int]
    moves: list[dict[str, Any]]
    stages: list[dict[str, Any]] | None


def season_before(tournament: Tournament) -> Tournament | None:
    """Return the season before this one that was not cancelled."""
    if tournament.league_id is None or tournament.season is None:
        return None
    rows = Tournament.objects.filter(league=tournament.league, season__lt=tournament.season)
    return rows.exclude(phase=Phase.CANCELLED).order_by("-season").first()


def outcome_of(season: Tournament) -> Outcome:
    """Return what a season decided.

    Raises:
        NotPossible: its results are not final, or not public.
    """
    seen = disclosed(season, None)
    if seen.state.phase is not Phase.FINAL or seen.hidden:
        raise NotPossible(codes.ResultsNotPublic(season.name), codes.ReleaseAndFinalise())
    state = seen.state
    stated = {} if season.league is None else season.league.rules
    rules = league_rules(stated, state.rules)
    tables = [
        _table(state, seen.course, number)
        for number in divisions_of(state.rules)
        if number in state.stages
    ]
    stages = play_offs_of(state.rules)
    winners = {}
    for duel in play_offs(rules, tables):
        number = stages.get(duel.division, -1)
        first = _table(state, seen.course, number)[:1] if number in state.stages else []
        if first and first[0] in (duel.upper, duel.lower):
            winners[duel.division] = first[0]
    return Outcome(rules, tables, winners)


def moves_between(
    outcome: Outcome, staying: Sequence[int], fresh: Sequence[int], count: int | None = None
) -> tuple[Sequence[Sequence[int]], tuple[Move, ...]]:
    """Return the divisions of the next season and the moves of all bots."""
    present = set(staying)
    found = next_divisions(
        outcome.rules,
        outcome.tables,
        withdrawals={bot for table in outcome.tables for bot in table} - present,
        newcomers=fresh,
        play_off_winners=outcome.winners,
        count=count,
    )
    return found.divisions, found.moves


def placement_of(tournament: Tournament, state: State) -> Placement | None:
    """Return how a season begins after the one before it; None if it is the first one.

    Raises:
        NotPossible: the results of the season before it are not final and public.
    """
    before = season_before(tournament)
    if before is None:
        return None
    outcome = outcome_of(before)
    entrants = [one for one in state.entrants.values() if state.is_in(one.number)]
    guests = sorted(one.number for one in entrants if one.is_guest)
    numbers = {one.bot: one.number for one in entrants if not one.is_guest}
    known = {bot for table in outcome.tables for bot in table}
    rated = ratings_of(state, entrants)
    fresh = sorted(
        numbers.keys() - known,
        key=lambda bot: (-rated.get(numbers[bot], float("-inf")), numbers[bot]),
    )
    count = len(divisions_of(state.rules))
    divisions, moves = moves_between(outcome, list(numbers), fresh, count)
    stages = fitted(state.rules, len(numbers), len(guests))
    seeds = [numbers[bot] for division in divisions for bot in division]
    return Placement(
        [*seeds, *guests],
        [
            {"entrant": numbers[one.number], "was": one.was, "now": one.now, "why": one.why}
            for one in moves
            if one.number in numbers
        ],
        stages,
    )


def _table(state: State, played: Course, number: int) -> list[int]:
    rows = table_of(state, played, state.stages[number])
    entrants = [state.entrants[row.number] for row in rows]
    return [one.bot for one in entrants if not one.is_guest]
