"""A tournament as a TRF file holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from damrak_ladder.tournaments.formats import Entrant, Pairing, PairingResult
from damrak_ladder.tournaments.formats.values import HALF

FORFEITS: Final = "+-"
PLAYED: Final = "10=WDL"
BYES: Final = "HFUZ"
POINTS: Final = {
    "1": Fraction(1),
    "W": Fraction(1),
    "+": Fraction(1),
    "F": Fraction(1),
    "U": Fraction(1),
    "=": HALF,
    "D": HALF,
    "H": HALF,
    "0": Fraction(0),
    "L": Fraction(0),
    "-": Fraction(0),
    "Z": Fraction(0),
}


class TrfError(ValueError):
    """A file that is not a TRF. The text names the line and the fix."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A player's round: opponent (0 for none), colour ("w", "b" or "-") and result code."""

    opponent: int
    colour: str
    result: str


@dataclass(frozen=True, slots=True)
class Player:
    """A line 001. `cells` has None for rounds without an entry."""

    rank: int
    name: str
    rating: int | None
    points: Fraction
    place: int | None
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class TrfTournament:
    """The parts of a TRF that pairing needs; `rounds` is the planned number, if it is known."""

    name: str
    players: tuple[Player, ...]
    rounds: int | None = None
    forbidden: tuple[tuple[int, int], ...] = ()

    @property
    def played(self) -> int:
        """Returns the number of rounds with a pairing; later columns only announce absences."""
        columns = max((len(player.cells) for player in self.players), default=0)
        for at in range(columns, 0, -1):
            cells = [player.cells[at - 1] for player in self.players if len(player.cells) >= at]
            if any(cell and (cell.opponent or cell.result in "U+") for cell in cells):
                return at
        return 0

    def entrants(self) -> tuple[Entrant, ...]:
        """Returns the players as entrants; number and seed are the start rank."""
        return tuple(
            Entrant(it.rank, it.rank, rating=None if it.rating is None else float(it.rating))
            for it in self.players
        )

    def present(self, number: int) -> tuple[int, ...]:
        """Returns the players that were paired, or had the bye, in a round (from 1)."""
        return tuple(
            player.rank
            for player in self.players
            if (cell := _cell(player, number)) and (cell.opponent or cell.result in "U")
        )

    def absent(self, number: int) -> tuple[int, ...]:
        """Returns the players that announced their absence in a round (from 1)."""
        return tuple(
            player.rank
            for player in self.players
            if (cell := _cell(player, number)) and not cell.opponent
        )

    def results(self, until: int | None = None) -> list[list[PairingResult]]:
        """Returns the results of the first rounds, by default of all."""
        last = self.played if until is None else min(until, self.played)
        return [self._round(number) for number in range(1, last + 1)]

    def _round(self, number: int) -> list[PairingResult]:
        cells = {player.rank: _cell(player, number) for player in self.players}
        found = []
        for rank, cell in cells.items():
            if cell is None:
                continue
            if not cell.opponent:
                if cell.result not in "-Z":
                    ruled = "absence" if cell.result == "H" else ""
                    points = (POINTS[cell.result],)
                    found.append(PairingResult(Pairing((rank,)), points, blocks=0, ruled=ruled))
                continue
            other = cells[cell.opponent]
            if rank < cell.opponent and other is not None:
                found.append(_result(rank, cell, other))
        return found


def _cell(player: Player, number: int) -> Cell | None:
    return player.cells[number - 1] if len(player.cells) >= number else None


def _result(rank: int, cell: Cell, other: Cell) -> PairingResult:
    points = (POINTS[cell.result], POINTS[other.result])
    pairing = Pairing((rank, cell.opponent))
    if cell.result in FORFEITS or other.result in FORFEITS:
        return PairingResult(pairing, points, blocks=0, ruled="forfeit")
    return PairingResult(pairing, points)


def from_rounds(
    name: str,
    names: Sequence[tuple[Entrant, str]],
    rounds: Sequence[Sequence[PairingResult]],
    *,
    places: Sequence[int] = (),
    total_rounds: int | None = None,
) -> TrfTournament:
    """Returns a tournament for two as TRF knows it: results are 1, 1/2 or 0 for a pairing.

    `places` are the numbers of entrants in the order of the table. Start ranks are the places of
    seeds, so that numbers need not be consecutive. A bye worth less than 1/2 is an absence.

    Raises:
        TrfError: a pairing has more than two entrants.
    """
    order = sorted(names, key=lambda it: it[0].seed)
    ranks = {entrant.number: rank for rank, (entrant, _) in enumerate(order, 1)}
    cells: dict[int, list[Cell | None]] = {number: [] for number in ranks}
    for results in rounds:
        for row in cells.values():
            row.append(Cell(0, "-", "Z"))
        for result in results:
            for number, cell in _cells(result, ranks):
                cells[number][-1] = cell
    return TrfTournament(
        name,
        tuple(
            Player(
                rank=ranks[entrant.number],
                name=text,
                rating=None if entrant.rating is None else round(entrant.rating),
                points=sum((POINTS[it.result] for it in cells[entrant.number] if it), Fraction(0)),
                place=places.index(entrant.number) + 1 if entrant.number in places else None,
                cells=tuple(cells[entrant.number]),
            )
            for entrant, text in order
        ),
        total_rounds,
    )


def _cells(result: PairingResult, ranks: dict[int, int]) -> list[tuple[int, Cell]]:
    numbers = result.pairing.entrants
    if len(numbers) > 2:
        raise TrfError("TRF is for pairings of two; export JSON for tables of 3 and 4")
    if len(numbers) == 1:
        code = "U" if result.points[0] == 1 else "H" if result.points[0] == HALF else "Z"
        return [(numbers[0], Cell(0, "-", code))]
    mine, theirs = result.points
    codes = ("=", "=") if mine == theirs else ("1", "0") if mine > theirs else ("0", "1")
    if mine == theirs == 0:
        codes = ("0", "0")
    if not result.blocks:
        codes = tuple("+" if code == "1" else "-" for code in codes)  # type: ignore[assignment]
    return [
        (numbers[0], Cell(ranks[numbers[1]], "w", codes[0])),
        (numbers[1], Cell(ranks[numbers[0]], "b", codes[1])),
    ]
