"""Phases of tournaments and rounds, levels of release, and identifiers."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Phase(StrEnum):
    """How far a tournament is."""

    DRAFT = "draft"
    OPEN = "open"  # for entries
    CLOSED = "closed"  # versions are pinned
    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"  # everything is played
    FINAL = "final"
    CANCELLED = "cancelled"


UNDER_WAY: Final = frozenset({Phase.RUNNING, Phase.PAUSED})
STARTED: Final = UNDER_WAY | {Phase.OVER, Phase.FINAL}


class RoundPhase(StrEnum):
    """How far a round is."""

    PLAYING = "playing"
    COMPLETE = "complete"  # every pairing is decided
    CLOSED = "closed"  # later rounds rest on it
    SUPERSEDED = "superseded"


class Release(StrEnum):
    """The audience of a round's results."""

    HIDDEN = "hidden"
    ENTRANTS = "entrants"
    PUBLIC = "public"

    @property
    def level(self) -> int:
        """Return a number that grows with the audience."""
        return list(Release).index(self)


class Standing(StrEnum):
    """Whether an entrant takes part."""

    IN = "in"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


class Ruling(StrEnum):
    """What happens to the played pairings of a disqualified entrant."""

    KEEP = "keep"
    VOID = "void"  # they count for neither side
    AWARD = "award"  # its opponents win


class RoundKey(NamedTuple):
    """A round of a stage. `stage` counts from 0, `number` and `generation` from 1."""

    stage: int
    number: int
    generation: int


class PairingKey(NamedTuple):
    """A pairing of a round, by its table."""

    stage: int
    round: int
    generation: int
    table: int

    @property
    def round_key(self) -> RoundKey:
        """Return the round."""
        return RoundKey(self.stage, self.round, self.generation)


class BlockKey(NamedTuple):
    """A block of a pairing; `take` counts its replays by ruling."""

    stage: int
    round: int
    generation: int
    table: int
    number: int
    take: int

    @property
    def pairing(self) -> PairingKey:
        """Return the pairing."""
        return PairingKey(self.stage, self.round, self.generation, self.table)
