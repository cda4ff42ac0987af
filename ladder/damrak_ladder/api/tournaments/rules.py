"""The rules of a tournament, as they are given and as they are answered.

The description declares their types. `parse_rules` of the log, which knows how they depend on each
other, is what checks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from ninja import Schema
from pydantic import BaseModel, ConfigDict, Field, PlainValidator

from damrak_ladder.api import types
from damrak_ladder.api.tournaments import kinds
from damrak_ladder.tournaments.formats.rules import MOST_BLOCKS, MOST_ENTRANTS, MOST_ROUNDS
from damrak_ladder.tournaments.log.rules import MOST_HOURS, MOST_STAGES

Entrants = Annotated[int, Field(ge=1, le=MOST_ENTRANTS)]
Blocks = Annotated[int, Field(ge=1, le=MOST_BLOCKS)]
Rounds = Annotated[int, Field(ge=1, le=MOST_ROUNDS)]
Places = Annotated[int, Field(ge=1, le=10_000)]
Points = Annotated[str, Field(pattern=r"^[0-9]{1,6}(/[1-9][0-9]{0,5})?$")]
Word = Annotated[str, Field(max_length=40)]
Elo = Annotated[float, Field(ge=-10_000, le=10_000)]


class StageSource(Schema):
    """The entrants of a stage: the places `first` to `last` of an earlier stage, or a list."""

    stage: int | None
    first: int
    last: int | None
    entrants: list[int]


class StageRules(Schema):
    """A stage: its format with all options."""

    name: str
    format: kinds.Format
    players: int
    rounds: int | None
    blocks: int
    final_blocks: int | None
    groups: int
    field: int | None
    advance: int | None
    survivors: int | None
    points: kinds.PointRule
    place_points: list[list[kinds.Fraction]]
    bye_points: kinds.Fraction | None
    tie_breaks: list[kinds.TieBreakName] | None
    table_preference: kinds.TablePreference
    leaders_together: bool
    same_owner_apart: bool
    third_place: bool
    bracket_reset: bool
    double: bool
    challengers: int
    sudden_death_limit: int
    sources: list[StageSource]


class EntryRules(Schema):
    """The conditions of entry."""

    kinds: list[types.VersionKind]
    invited: bool
    domain: str
    low: float | None
    high: float | None
    ladder: str
    per_owner: int
    languages: list[str]
    most: int


class TournamentSchedule(Schema):
    """Times at which the tournament advances by itself; `daily` is a local time in `zone`."""

    opens: kinds.Timestamp | None
    closes: kinds.Timestamp | None
    starts: kinds.Timestamp | None
    daily: str | None
    zone: str
    next_season_h: int | None


class TournamentRules(Schema):
    """The rules of a tournament, which are fixed at the first pairing."""

    stages: list[StageRules]
    boards: list[str]
    options: types.GameOptions
    control: types.TimeControl
    rotations: int
    patience_s: int
    absent: kinds.Absence
    dead: kinds.DeadBlocks
    entry: EntryRules
    seeding: kinds.Seeding
    schedule: TournamentSchedule
    visibility: kinds.Visibility
    reveal: kinds.Release
    games_a_minute: int | None


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewStageSource(_Given):
    """The entrants of a stage: the places `first` to `last` of an earlier stage, or a list."""

    stage: Annotated[int, Field(ge=0, le=MOST_STAGES)] | None = None
    first: Places = 1
    last: Places | None = None
    entrants: list[Annotated[int, Field(ge=1, le=kinds.MOST)]] = []


class NewStage(_Given):
    """A stage: its format and options; without `sources`, all entrants take part."""

    format: kinds.Format
    name: Annotated[str, Field(max_length=60)] = ""
    players: Annotated[int, Field(ge=2, le=4)] = 2
    rounds: Rounds | None = None
    blocks: Blocks = 1
    final_blocks: Blocks | None = None
    groups: Entrants = 1
    field: Annotated[int, Field(ge=2, le=MOST_ENTRANTS)] | None = None
    advance: Entrants | None = None
    survivors: Annotated[int, Field(ge=2, le=MOST_ENTRANTS)] | None = None
    points: kinds.PointRule = "share"
    place_points: list[list[Points]] = []
    bye_points: Points | None = None
    tie_breaks: list[kinds.TieBreakName] | None = None
    table_preference: kinds.TablePreference = "balanced"
    leaders_together: bool = False
    same_owner_apart: bool = True
    third_place: bool = False
    bracket_reset: bool = True
    double: bool = False
    challengers: Entrants = 1
    sudden_death_limit: Annotated[int, Field(ge=0, le=100)] = 5
    sources: list[NewStageSource] = []


class NewEntryRules(_Given):
    """The conditions of entry."""

    kinds: Annotated[list[types.VersionKind], Field(min_length=1)] = ["uploaded", "house"]
    invited: bool = False
    domain: Annotated[str, Field(max_length=200)] = ""
    low: Elo | None = None
    high: Elo | None = None
    ladder: Word = ""
    per_owner: Entrants = 1
    languages: list[Annotated[str, Field(max_length=30)]] = []
    most: Entrants = 200


class NewSchedule(_Given):
    """Times at which the tournament advances by itself; `daily` is a local time in `zone`."""

    opens: Word | None = None
    closes: Word | None = None
    starts: Word | None = None
    daily: Annotated[str, Field(max_length=8)] | None = None
    zone: Annotated[str, Field(max_length=60)] = "UTC"
    next_season_h: Annotated[int, Field(ge=0, le=MOST_HOURS)] | None = None


class NewRules(_Given):
    """The rules of a new tournament; what is left out has its default."""

    stages: Annotated[list[NewStage], Field(min_length=1, max_length=MOST_STAGES)]
    boards: list[Annotated[str, Field(max_length=200)]] = ["amsterdam"]
    options: types.GameOptions = Field(default_factory=dict)
    control: types.TimeControl = Field(default_factory=dict)
    rotations: Annotated[int, Field(ge=1, le=20)] = 1
    patience_s: Annotated[int, Field(ge=10, le=7 * 86_400)] = 600
    absent: kinds.Absence = "forfeit"
    dead: kinds.DeadBlocks = "wait"
    entry: NewEntryRules = Field(default_factory=NewEntryRules)
    seeding: kinds.Seeding = "rating"
    schedule: NewSchedule = Field(default_factory=NewSchedule)
    visibility: kinds.Visibility = "public"
    reveal: kinds.Release = "public"
    games_a_minute: Annotated[int, Field(ge=1, le=100_000)] | None = None


def _object(given: object) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise ValueError("it is not an object")
    return dict(given)


GivenRules = Annotated[dict[str, Any], PlainValidator(_object, json_schema_input_type=NewRules)]
"""Rules as they were sent, which `parse_rules` checks."""
