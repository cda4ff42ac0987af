"""What an act changes, as previews and answers list it. Parts without a change are missing."""

from __future__ import annotations

from typing import Any

from ninja import Schema
from typing_extensions import TypeAliasType

from damrak_ladder.api.tournaments import kinds

RuleValue = TypeAliasType("RuleValue", Any)


class PhaseChange(Schema):
    """The phase before and after."""

    before: kinds.TournamentPhase
    after: kinds.TournamentPhase


class FlagChange(Schema):
    """A yes or no before and after."""

    before: bool
    after: bool


class NumberChange(Schema):
    """A number before and after; null is none."""

    before: int | None
    after: int | None


class TextChange(Schema):
    """An exact number before and after."""

    before: kinds.Fraction
    after: kinds.Fraction


class RuleChange(Schema):
    """A field of the rules before and after."""

    before: RuleValue
    after: RuleValue


RuleChanges = TypeAliasType("RuleChanges", dict[str, RuleChange])
"""The fields of the rules that differ, by name."""
BlockCounts = TypeAliasType("BlockCounts", dict[str, int])
"""The blocks that stop counting: struck, abandoned, superseded or dropped."""


class EntrantChange(Schema):
    """An entrant before and after; null does not take part in the tournament."""

    entrant: int
    before: kinds.EntrantState | None
    after: kinds.EntrantState | None
    version: int | None
    seed: int | None


class PairingPlace(Schema):
    """The place of a pairing."""

    stage: int
    round: int
    table: int


class ChangedPairing(PairingPlace):
    """A pairing that is added or removed."""

    entrants: list[int]


class PairingResult(Schema):
    """The result of a pairing; null points are none yet."""

    how: kinds.Decision
    points: list[kinds.Fraction] | None


class ResultChange(PairingPlace):
    """The result of a pairing before and after."""

    before: PairingResult
    after: PairingResult


class ReleaseChange(PairingPlace):
    """The audience of a pairing before and after."""

    before: kinds.Release
    after: kinds.Release


class StandingChange(Schema):
    """The place and points of an entrant before and after."""

    stage: int
    entrant: int
    place: NumberChange
    points: TextChange


class Changes(Schema):
    """What differs after an act; what stays is missing."""

    phase: PhaseChange | None = None
    stops_after_round: FlagChange | None = None
    games_a_minute: NumberChange | None = None
    rules: RuleChanges | None = None
    entrants: list[EntrantChange] | None = None
    pairings_removed: list[ChangedPairing] | None = None
    pairings_added: list[ChangedPairing] | None = None
    results: list[ResultChange] | None = None
    releases: list[ReleaseChange] | None = None
    standings: list[StandingChange] | None = None
    blocks: BlockCounts | None = None
    games_lost: int | None = None
    was_public: list[PairingPlace] | None = None
    minutes: float | None = None
