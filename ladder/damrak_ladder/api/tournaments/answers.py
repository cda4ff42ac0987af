"""Tournaments, entrants, rounds, tables and exports as answers."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ninja import Schema

from damrak_ladder.api import types
from damrak_ladder.api.tournaments import kinds
from damrak_ladder.api.tournaments.changes import Changes
from damrak_ladder.api.tournaments.rules import TournamentRules


class TournamentSummary(Schema):
    """A tournament in a list. `entrants` is the number of those that take part."""

    slug: str
    name: str
    summary: str
    phase: kinds.TournamentPhase
    visibility: kinds.Visibility
    league: str | None
    season: int | None
    formats: list[kinds.Format]
    entrants: int
    organiser: str
    created: kinds.Timestamp
    opens: kinds.Timestamp | None
    closes: kinds.Timestamp | None
    starts: kinds.Timestamp | None


class RulesRevision(Schema):
    """A change of the rules after the tournament opened; `reason` is empty if it is private."""

    at: datetime
    reason: str
    before: TournamentRules
    after: TournamentRules


class RoundLine(Schema):
    """A round without its pairings. A round that is paired again has the next generation."""

    stage: int
    round: int
    generation: int
    release: kinds.Release
    phase: kinds.RoundPhase
    paired: kinds.Timestamp | None
    blocks: int


class StageLine(Schema):
    """A stage with its rounds."""

    stage: int
    name: str
    format: kinds.Format
    rounds: list[RoundLine]


class OrganiserView(Schema):
    """What only organisers see of a tournament; others do not get these fields."""

    serial: int | None = None
    """The number of the latest act, which acts state in `If-Match`."""
    stops_after_round: bool | None = None
    games_a_minute: int | None = None


class TournamentShape(TournamentSummary, OrganiserView):
    """A tournament with its rules and rounds."""

    rules: TournamentRules
    stages: list[StageLine]
    lot_seed: str | None = None


class EntrantShape(Schema):
    """An entrant with the version that plays for it."""

    entrant: int
    bot: str
    name: str
    version: int | None
    kind: types.VersionKind | None
    owner: str
    seed: int | None
    guest: bool
    state: kinds.EntrantState
    ruling: kinds.Ruling
    """What happened to its pairings, if it is disqualified."""
    entered: kinds.Timestamp | None


class EntrantName(Schema):
    """An entrant as pairings and tables name it."""

    entrant: int
    bot: str
    name: str


class PlayedGame(Schema):
    """The places, points and faults of the entrants in a game, in the order of the pairing."""

    places: list[int]
    points: list[int]
    faults: list[str]


class PairingBlock(Schema):
    """A block of a pairing; `take` counts its replays by ruling."""

    number: int
    block: int
    take: int
    state: types.BlockState
    board: str
    matches: list[int]
    games: list[PlayedGame] | None
    """Null until the block is recorded."""


class PairingShape(Schema):
    """A pairing with its result and its blocks, as far as they are released."""

    table: int
    slot: str
    group: int
    entrants: list[EntrantName]
    bye: bool
    release: kinds.Release
    state: kinds.PairingState
    how: kinds.Decision
    points: list[kinds.Fraction] | None
    sudden_death: int
    forfeited: list[int]
    places: list[int]
    blocks: list[PairingBlock]


class RoundShape(RoundLine):
    """A round with its pairings."""

    seed: str
    cost: kinds.PairingCost
    pairings: list[PairingShape]


class TieBreakValue(Schema):
    """The value of a tie-break; null if it does not apply."""

    name: str
    value: kinds.Fraction | None
    skipped: bool


class StandingsRow(EntrantName):
    """A row of a table; `decided_by` names what put the entrant below the row above."""

    place: int | None
    points: kinds.Fraction
    tie_breaks: list[TieBreakValue]
    decided_by: str
    group: int
    played: int
    byes: int
    out: int | None


class StageTable(Schema):
    """The table of a stage."""

    stage: int
    name: str
    format: kinds.Format
    rounds_played: int
    tie_breaks: list[kinds.TieBreakName]
    rows: list[StandingsRow]


class Standings(Schema):
    """The tables of all stages that have begun."""

    tournament: str
    phase: kinds.TournamentPhase
    stages: list[StageTable]


class LoggedAct(Schema):
    """An act in the log and what it is about; only organisers get the last five fields."""

    kind: kinds.AnyActKind
    at: kinds.Timestamp
    actor: str | None
    reason: str
    entrants: list[EntrantName]
    round: int | None
    table: int | None
    serial: int | None = None
    payload: kinds.ActPayload | None = None
    public: bool | None = None
    undoes: int | None = None
    digest: str | None = None


class ExportedStage(Schema):
    """A stage with its entrants, by number and in the order of their seeds, and its rounds."""

    stage: int
    name: str
    format: kinds.Format
    rounds: list[RoundShape]
    entrants: list[int]


class TournamentExport(Schema):
    """Everything that is needed to compute the tables of a tournament independently."""

    format: Literal["damrak-tournament/1"]
    slug: str
    name: str
    summary: str
    phase: kinds.TournamentPhase
    visibility: kinds.Visibility
    league: str | None
    season: int | None
    formats: list[kinds.Format]
    organiser: str
    created: kinds.Timestamp
    opens: kinds.Timestamp | None
    closes: kinds.Timestamp | None
    starts: kinds.Timestamp | None
    rules: TournamentRules
    entrants: list[EntrantShape]
    stages: list[ExportedStage]
    lot_seed: str | None = None
    standings: list[StageTable]
    acts: list[LoggedAct]
    serial: int | None = None
    stops_after_round: bool | None = None
    games_a_minute: int | None = None


class ActAnswer(Schema):
    """The outcome of an act or of its preview; `changes` lists what differs afterwards."""

    serial: int
    kind: kinds.ActKind
    payload: kinds.ActPayload
    changes: Changes
    dry_run: bool
    repeated: bool
