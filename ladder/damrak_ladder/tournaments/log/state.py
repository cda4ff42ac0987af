"""The state of a tournament that follows from its acts, without any results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from damrak_ladder.tournaments.log.rules import Rules, StagePlan
from damrak_ladder.tournaments.log.values import (
    BlockKey,
    PairingKey,
    Phase,
    Release,
    RoundKey,
    RoundPhase,
    Ruling,
    Standing,
)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in the tournament."""

    number: int
    bot: int
    owner: int
    version: int | None = None  # pinned when entries close
    is_guest: bool = False
    standing: Standing = Standing.IN
    ruling: Ruling = Ruling.KEEP
    seed: int | None = None  # its start rank, from 1
    entered: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pairing:
    """Entrants that meet in a round; a single one has a bye.

    The blocks may be those of an earlier generation in which the same entrants met: `origin` is the
    pairing that they were booked for.
    """

    key: PairingKey
    entrants: tuple[int, ...]
    blocks: int  # without sudden death
    origin: PairingKey
    slot: str = ""
    group: int = 0
    manual: bool = False
    takes: Mapping[int, int] = field(default_factory=dict)
    skipped: frozenset[int] = frozenset()
    forfeited: frozenset[int] = frozenset()  # these entrants lose it
    places: tuple[int, ...] = ()  # by an organiser's ruling
    release: Release | None = None  # None: that of the round

    @property
    def is_bye(self) -> bool:
        """Return whether it is a bye."""
        return len(self.entrants) == 1

    def block_key(self, number: int) -> BlockKey:
        """Return the key of a block of this pairing that counts."""
        return BlockKey(*self.origin, number, self.takes.get(number, 0))


@dataclass(frozen=True, slots=True)
class Round:
    """A paired round."""

    key: RoundKey
    pairings: Mapping[int, Pairing]  # by table
    release: Release
    serial: int
    at: datetime | None = None
    seed: str = ""
    cost: Mapping[str, Any] = field(default_factory=dict)

    def release_of(self, table: int) -> Release:
        """Return the audience of a pairing's results."""
        own = self.pairings[table].release
        return self.release if own is None else own


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage that has begun: its entrants in seed order, and its current rounds."""

    number: int
    plan: StagePlan
    entrants: tuple[int, ...] = ()
    rounds: tuple[Round, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Pairings of a round that an organiser has set or forbidden."""

    manual: tuple[tuple[int, ...], ...] = ()
    forbidden: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedRelease:
    """A release of a round's results at a time."""

    level: Release
    at: datetime


@dataclass(slots=True)
class State:
    """The state after a number of acts. Values are replaced, never changed in place."""

    rules: Rules
    serial: int = 0
    name: str = ""  # if it was changed
    first_name: str = ""  # before the first change
    phase: Phase = Phase.DRAFT
    entrants: dict[int, Entrant] = field(default_factory=dict)
    stages: dict[int, Stage] = field(default_factory=dict)
    generations: dict[tuple[int, int], int] = field(default_factory=dict)
    superseded: dict[RoundKey, Round] = field(default_factory=dict)
    arrangements: dict[tuple[int, int], Arrangement] = field(default_factory=dict)
    planned: dict[tuple[int, int], PlannedRelease] = field(default_factory=dict)  # by round
    stops_after_round: bool = False
    games_a_minute: int | None = None
    paused: datetime | None = None  # since when
    pauses: tuple[tuple[datetime, datetime], ...] = ()  # those that are over
    resumed: datetime | None = None
    finished: datetime | None = None

    def copy(self) -> State:
        """Return a copy that can be continued independently."""
        return replace(
            self,
            entrants=dict(self.entrants),
            stages=dict(self.stages),
            generations=dict(self.generations),
            superseded=dict(self.superseded),
            arrangements=dict(self.arrangements),
            planned=dict(self.planned),
        )

    def running_time(self, begin: datetime, end: datetime) -> timedelta:
        """Return how much of this time the tournament was not paused."""
        paused = (min(to, end) - max(since, begin) for since, to in self.pauses)
        return end - begin - sum((one for one in paused if one > timedelta()), timedelta())

    def rounds(self) -> Iterator[Round]:
        """Yield the current rounds, stage by stage."""
        for number in sorted(self.stages):
            yield from self.stages[number].rounds

    def pairings(self) -> Iterator[tuple[Round, Pairing]]:
        """Yield the current pairings with their rounds."""
        for one in self.rounds():
            for table in sorted(one.pairings):
                yield one, one.pairings[table]

    def round(self, key: RoundKey) -> Round | None:
        """Return a current round; None if it is not paired, or superseded."""
        stage = self.stages.get(key.stage)
        if stage is None or not 1 <= key.number <= len(stage.rounds):
            return None
        found = stage.rounds[key.number - 1]
        return found if found.key == key else None

    def pairing(self, key: PairingKey) -> Pairing | None:
        """Return a current pairing; None if there is none of this key."""
        found = self.round(key.round_key)
        return None if found is None else found.pairings.get(key.table)

    def generation(self, stage: int, number: int) -> int:
        """Return the generation of a round that is paired or would be paired next."""
        return self.generations.get((stage, number), 0)

    def is_in(self, number: int) -> bool:
        """Return whether this entrant takes part."""
        return self.entrants[number].standing is Standing.IN

    def latest_generation(self, stage: int, number: int) -> Round | None:
        """Return the last superseded generation of a round."""
        found = [key for key in self.superseded if key[:2] == (stage, number)]
        return self.superseded[max(found)] if found else None

    def pairing_with(self, key: BlockKey) -> Pairing | None:
        """Return the current pairing that this block counts for; None if it does not count."""
        for _, one in self.pairings():
            if one.origin == key.pairing:
                is_taken = one.takes.get(key.number, 0) == key.take
                return one if is_taken and key.number not in one.skipped else None
        return None

    def counts(self, key: BlockKey) -> bool:
        """Return whether the result of this block counts."""
        return self.pairing_with(key) is not None

    def round_phase(self, key: RoundKey, *, is_complete: bool) -> RoundPhase:
        """Return how far a round is."""
        if self.round(key) is None:
            return RoundPhase.SUPERSEDED
        if len(self.stages[key.stage].rounds) > key.number or self._feeds(key.stage):
            return RoundPhase.CLOSED
        return RoundPhase.COMPLETE if is_complete else RoundPhase.PLAYING

    def _feeds(self, stage: int) -> bool:
        return any(
            source.stage == stage
            for number in self.stages
            for source in self.rules.stages[number].sources
        )

    def dependents(self, stage: int) -> set[int]:
        """Return the stages that take entrants from this one, directly or not."""
        found: set[int] = set()
        for number, rules in enumerate(self.rules.stages):
            if any(one.stage == stage or one.stage in found for one in rules.sources):
                found.add(number)
        return found
