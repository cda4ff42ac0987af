"""Values that formats take and return.

All numbers that decide something are integers or fractions. Order never depends on the number of
an entrant, only on its seed, so that renumbering entrants renumbers the result and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from damrak_ladder.message_codes.message import Message

HALF: Final = Fraction(1, 2)


class FormatError(ValueError):
    """Input that a format cannot work with. The text names the cause and the fix."""


class RulesError(FormatError):
    """A field of the rules is not valid."""

    def __init__(self, field: str, message: Message) -> None:
        super().__init__(f"{field}: {message!r}")
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entrant of a stage.

    `number` identifies it and is any positive integer; `seed` orders entrants, 1 is the strongest.
    Seeds are unique within a stage, but need not be consecutive. A guest plays, but has no place.
    """

    number: int
    seed: int
    owner: int | None = None
    rating: float | None = None
    guest: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """What fills one place of a bracket slot.

    `kind` is "seed", "winner" or "loser". `slot` is empty for a seed; `place` is the place in that
    slot, or the seed (from 1, by the order of entrants).
    """

    kind: str
    slot: str = ""
    place: int = 1

    def __str__(self) -> str:
        if self.kind == "seed":
            return f"seed {self.place}"
        place = f"place {self.place} of" if self.kind == "winner" and self.place > 1 else ""
        return f"{place or f'{self.kind} of'} {self.slot}"


@dataclass(frozen=True, slots=True)
class Pairing:
    """Entrants that meet. One entrant alone has a bye.

    `slot` names the position in a bracket ("W1.3", "L2.1", "F", "F2", "P3") and is empty in other
    formats. `group` counts from 0 in stages with groups. `manual` marks pairings of the organiser.
    """

    entrants: tuple[int, ...]
    slot: str = ""
    group: int = 0
    manual: bool = False

    @property
    def is_bye(self) -> bool:
        """Returns whether one entrant sits out."""
        return len(self.entrants) == 1


@dataclass(frozen=True, slots=True)
class PairingResult:
    """The result of a pairing over its counted blocks.

    All tuples are in the order of `pairing.entrants`. `points` are the points that the entrants
    receive. `taken[i][j]` is the mean share that entrant i took from entrant j: 1 for a game in
    front of it, 1/2 for a tie, 0 behind; empty means "derive it from the points".
    `sudden_points` are mean shares over the sudden-death blocks alone, which do not count in
    `points`. `ruled` is "" (played, or a bye), "forfeit", "award", "void", or "absence" for a bye
    that the entrant asked for. A result with `blocks` 0 was not played: it gives points, but is not
    a meeting.

    Build results with `results.score_pairing`, `results.bye` and `results.ruling`.
    """

    pairing: Pairing
    points: tuple[Fraction, ...]
    blocks: int = 1
    games: int = 0
    taken: tuple[tuple[Fraction, ...], ...] = ()
    first_places: tuple[Fraction, ...] = ()
    game_points: tuple[int, ...] = ()
    goods: tuple[int, ...] = ()
    sudden_death: int = 0
    sudden_points: tuple[Fraction, ...] = ()
    ruled: str = ""

    @property
    def is_meeting(self) -> bool:
        """Returns whether the entrants met: a repeated pairing would be a rematch."""
        return len(self.pairing.entrants) > 1 and self.blocks > 0 and self.ruled != "void"

    def share(self, at: int, other: int) -> Fraction:
        """Returns the share that entrant `at` took from entrant `other`, both by index."""
        if self.taken:
            return self.taken[at][other]
        mine, theirs = self.points[at], self.points[other]
        if len(self.points) == 2 and mine + theirs == 1:
            return mine
        return Fraction(1) if mine > theirs else HALF if mine == theirs else Fraction(0)


Round = Sequence[PairingResult]
"""All results of one round, byes and rulings included."""


@dataclass(frozen=True, slots=True)
class RoundPairing:
    """The pairings of a round, with all that is needed to check them.

    `cost` names the parts of the cost in order of importance. `seed` is what ties were drawn with.
    `blocks` is the number of blocks of each pairing in this round.
    """

    number: int
    pairings: tuple[Pairing, ...]
    cost: Mapping[str, Fraction | int] = field(default_factory=dict)
    seed: str = ""
    blocks: int = 1


@dataclass(frozen=True, slots=True)
class Value:
    """The value of one tie-break for one entrant. Skipped values decided nothing."""

    name: str
    value: Fraction | None
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    `place` is None for guests; entrants that no criterion separates share a place. `decided_by`
    names the criterion that put the entrant below the row above: "" for the first of a group and
    for a shared place, else "points", a tie-break, or "round" for the stage of a bracket.
    `out` is the round in which an entrant left a knockout or a culling.
    """

    number: int
    place: int | None
    points: Fraction
    tie_breaks: tuple[Value, ...] = ()
    decided_by: str = ""
    group: int = 0
    played: int = 0
    byes: int = 0
    out: int | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A position of a bracket, for display.

    `entrants` holds None for places that are still open, and 0 for places that stay empty (byes).
    `winners` are those that advance, in order; `decided_by` is the criterion (`knockouts.decide`).
    """

    name: str
    round: int
    sources: tuple[Source, ...]
    entrants: tuple[int | None, ...]
    winners: tuple[int, ...] = ()
    losers: tuple[int, ...] = ()
    decided_by: str = ""


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """A round as far as it is known before the start."""

    name: str
    pairings: int
    blocks: int
    games: int
    byes: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The length and the cost of a stage, and what to know before the start.

    `blocks` and `games` are totals; the `at_most_` ones include a bracket reset.
    """

    rounds: tuple[PlannedRound, ...]
    pairings: int
    blocks: int
    games: int
    at_most_pairings: int
    at_most_blocks: int
    at_most_games: int
    warnings: tuple[Message, ...] = ()
