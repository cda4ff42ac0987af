"""The rules of a stage and their validation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from damrak_ladder.message_codes import rule_codes as codes
from damrak_ladder.tournaments.formats.values import HALF, RulesError

FORMATS: Final = (
    "round-robin",
    "swiss",
    "swiss-tables",
    "single-elimination",
    "double-elimination",
    "gauntlet",
    "culling",
    "groups",
    "snapshot",
)
KNOCKOUTS: Final = ("single-elimination", "double-elimination")
POINTS: Final = ("share", "match", "places")
PREFERENCES: Final = {"score-groups": 4, "balanced": 32, "avoid-rematches": 1000}
"""Weight of a rematch against a gap of scores, by table preference."""

TIE_BREAKS: Final = (
    "buchholz",
    "buchholz-cut-1",
    "sonneborn-berger",
    "head-to-head",
    "first-places",
    "game-points",
    "goods",
    "sudden-death",
    "earlier-points",
    "seed",
)
SWISS_TIE_BREAKS: Final = (
    "buchholz-cut-1", "buchholz", "sonneborn-berger", "head-to-head", "first-places", "seed",
)  # fmt: skip
OTHER_TIE_BREAKS: Final = (
    "head-to-head", "sonneborn-berger", "first-places", "game-points", "seed",
)  # fmt: skip
MOST_ENTRANTS: Final = 2000
MOST_ROUNDS: Final = 1000
MOST_BLOCKS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRules:
    """The rules of a stage.

    Attributes:
        format: one of `FORMATS`. "groups" is a round robin in groups; "snapshot" takes the first
            `field` entrants and lets all of them play the same number of rounds from zero.
        players: seats at a table: 2, 3 or 4. Smaller tables fill up a field that does not divide.
        rounds: number of rounds; None takes what the format needs (`plans.default_rounds`).
        blocks: blocks of each pairing.
        final_blocks: blocks of each pairing in the final (and in a bracket reset, and of the last
            round of other formats); None for `blocks`.
        groups: number of groups ("groups", "round-robin").
        field: entrants that take part, the best seeds; None for all.
        advance: how many advance to the next stage, from each group; None for all.
        survivors: entrants that play the last stage of a culling; None for one table.
        points: "share" (mean share of opponents beaten), "match" (1 for each opponent behind over
            the whole pairing, 1/2 for a tie, divided by opponents) or "places" (`place_points`).
        place_points: for tables of 2, 3 and 4: points of each place, averaged over the games.
        bye_points: None is 1 for two players and 1/2 at tables.
        tie_breaks: in order; None takes the usual ones of the format.
        table_preference: one of `PREFERENCES`.
        leaders_together: the first table of the last round seats the leaders, met before or not.
        same_owner_apart: entrants of one owner meet only if it cannot be avoided.
        third_place: the losers of the semi-finals play for the third place.
        bracket_reset: a second final if the entrant without a loss loses the first.
        double: every pairing of a round robin twice.
        challengers: entrants of a gauntlet that play all others: the first seeds. Guests are
            opponents.
        sudden_death_limit: blocks of sudden death before other criteria decide a tied pairing.
    """

    format: str
    players: int = 2
    rounds: int | None = None
    blocks: int = 1
    final_blocks: int | None = None
    groups: int = 1
    field: int | None = None
    advance: int | None = None
    survivors: int | None = None
    points: str = "share"
    place_points: tuple[tuple[Fraction, ...], ...] = ()
    bye_points: Fraction | None = None
    tie_breaks: tuple[str, ...] | None = None
    table_preference: str = "balanced"
    leaders_together: bool = False
    same_owner_apart: bool = True
    third_place: bool = False
    bracket_reset: bool = True
    double: bool = False
    challengers: int = 1
    sudden_death_limit: int = 5

    @property
    def bye(self) -> Fraction:
        """Returns the points of a bye."""
        if self.bye_points is not None:
            return self.bye_points
        return Fraction(1) if self.players == 2 else HALF

    @property
    def order(self) -> tuple[str, ...]:
        """Returns the tie-breaks in force."""
        if self.tie_breaks is not None:
            return self.tie_breaks
        if self.format == "culling":
            return ("earlier-points", *OTHER_TIE_BREAKS)
        return SWISS_TIE_BREAKS if self.format.startswith("swiss") else OTHER_TIE_BREAKS

    def validate(self, entrants: int | None = None) -> None:
        """Check the rules, for a number of entrants if it is known.

        Raises:
            RulesError: a rule is not possible; the text names the cause and the fix.
        """
        self._validate_choices()
        self._validate_numbers()
        self._validate_combinations()
        if entrants is not None:
            self._validate_field(entrants)

    def _validate_choices(self) -> None:
        for name, value, choices in (
            ("format", self.format, FORMATS),
            ("points", self.points, POINTS),
            ("table_preference", self.table_preference, tuple(PREFERENCES)),
        ):
            if value not in choices:
                raise RulesError(name, codes.UnknownChoice(value, choices))
        for name in self.tie_breaks or ():
            if name not in TIE_BREAKS:
                raise RulesError("tie_breaks", codes.UnknownChoice(name, TIE_BREAKS))
        if len(set(self.tie_breaks or ())) != len(self.tie_breaks or ()):
            raise RulesError("tie_breaks", codes.ListedTwice())

    def _validate_numbers(self) -> None:
        limits: tuple[tuple[str, int | None, int, int], ...] = (
            ("players", self.players, 2, 4),
            ("rounds", self.rounds, 1, MOST_ROUNDS),
            ("blocks", self.blocks, 1, MOST_BLOCKS),
            ("final_blocks", self.final_blocks, 1, MOST_BLOCKS),
            ("groups", self.groups, 1, MOST_ENTRANTS),
            ("field", self.field, 2, MOST_ENTRANTS),
            ("advance", self.advance, 1, MOST_ENTRANTS),
            ("survivors", self.survivors, 2, MOST_ENTRANTS),
            ("challengers", self.challengers, 1, MOST_ENTRANTS),
            ("sudden_death_limit", self.sudden_death_limit, 0, 100),
        )
        for name, value, least, most in limits:
            if value is not None and not least <= value <= most:
                raise RulesError(name, codes.WholeOutside(least, most))
        if self.bye_points is not None and not 0 <= self.bye_points <= 10:
            raise RulesError("bye_points", codes.NumberOutside(0, 10))

    def _validate_combinations(self) -> None:
        two_only = {"swiss": "swiss-tables", "double-elimination": "single-elimination"}
        if self.players != 2 and self.format in two_only:
            raise RulesError("players", codes.ForTwoOnly(self.format, two_only[self.format]))
        if self.players == 2 and self.format == "swiss-tables":
            raise RulesError("players", codes.ForTablesOnly(self.format, "swiss"))
        if self.players == 3 and self.format == "single-elimination":
            raise RulesError("players", codes.KnockoutTables())
        if self.rounds is not None and self.format in KNOCKOUTS:
            raise RulesError("rounds", codes.KnockoutRounds())
        if self.groups > 1 and self.format not in ("groups", "round-robin"):
            raise RulesError("groups", codes.NoGroups(self.format))
        if self.points == "places":
            sizes = sorted(len(row) for row in self.place_points)
            if sizes != list(range(2, self.players + 1)):
                raise RulesError("place_points", codes.PlacePoints(self.players))

    def _validate_field(self, entrants: int) -> None:
        if not 2 <= entrants <= MOST_ENTRANTS:
            raise RulesError("entrants", codes.FieldSize(entrants, MOST_ENTRANTS))
        if self.groups * 2 > entrants:
            message = codes.TooManyGroups(self.groups, entrants, entrants // 2)
            raise RulesError("groups", message)
        if self.format == "gauntlet" and self.challengers >= entrants:
            found = codes.TooManyChallengers(self.challengers, entrants, entrants - 1)
            raise RulesError("challengers", found)
