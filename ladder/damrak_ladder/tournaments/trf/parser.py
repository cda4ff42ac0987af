"""Parsing of TRF files, which come from anywhere.

Columns of a line 001: start rank 5-8, name 15-47, rating 49-52, points 81-84, place 86-89, then ten
columns for each round: opponent 92-95, colour 97, result 99. Lines end with CR, LF or both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from damrak_ladder.tournaments.formats.rules import MOST_ENTRANTS, MOST_ROUNDS
from damrak_ladder.tournaments.trf.values import (
    BYES,
    FORFEITS,
    PLAYED,
    Cell,
    Player,
    TrfError,
    TrfTournament,
)

MOST_BYTES: Final = 8_000_000
_MIRROR: Final = {"1": "0", "0": "10", "=": "=", "W": "L", "L": "WL", "D": "D", "+": "-", "-": "+-"}


@dataclass(slots=True)
class _Found:
    name: str = ""
    rounds: int | None = None
    players: dict[int, Player] = field(default_factory=dict)
    lines: dict[int, int] = field(default_factory=dict)
    forbidden: list[tuple[int, int, int]] = field(default_factory=list)


def parse(data: bytes | str) -> TrfTournament:
    """Returns the tournament of a TRF file. Lines of unknown kinds are skipped.

    Raises:
        TrfError: the file is too large, or a line is wrong; the text names the line and the fix.
    """
    if len(data) > MOST_BYTES:
        raise TrfError(f"the file has {len(data):,} bytes; a TRF has at most {MOST_BYTES:,}")
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    found = _Found()
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        _read(found, number, line)
    if not found.players:
        raise TrfError("no line begins with 001: this is not a TRF; each player needs such a line")
    _check(found)
    players = tuple(found.players[rank] for rank in sorted(found.players))
    pairs = tuple((one, other) for _, one, other in found.forbidden)
    return TrfTournament(found.name, players, found.rounds, pairs)


def _read(found: _Found, number: int, line: str) -> None:
    match line[:3]:
        case "001":
            player = _player(number, line)
            if player.rank in found.players:
                raise TrfError(
                    f"line {number}: start rank {player.rank} is that of line "
                    f"{found.lines[player.rank]} too; give each player its own"
                )
            if len(found.players) >= MOST_ENTRANTS:
                raise TrfError(f"line {number}: more than {MOST_ENTRANTS} players; split the file")
            found.players[player.rank] = player
            found.lines[player.rank] = number
        case "012":
            found.name = line[4:].strip()[:200]
        case "XXR" | "142":
            found.rounds = _number(number, "the number of rounds", line[3:], 1, MOST_ROUNDS)
        case "XXP":
            ranks = [
                _number(number, "a forbidden pair", part, 1, MOST_ENTRANTS)
                for part in line[3:].split()[: MOST_ENTRANTS + 1]
            ]
            if len(ranks) != 2 or ranks[0] == ranks[1]:
                raise TrfError(f"line {number}: XXP names two different players by start rank")
            found.forbidden.append((number, ranks[0], ranks[1]))
        case _:
            pass


def _number(line: int, what: str, text: str, least: int, most: int) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit() and least <= int(text[:9]) <= most):
        raise TrfError(
            f"line {line}: {what} is {text[:20]!r}; write a number from {least} to {most}"
        )
    return int(text)


def _player(number: int, line: str) -> Player:
    rank = _number(number, "the start rank (columns 5-8)", line[4:8], 1, 9999)
    rating = line[48:52].strip()
    place = line[85:89].strip()
    return Player(
        rank=rank,
        name=line[14:47].strip(),
        rating=_number(number, "the rating (columns 49-52)", rating, 0, 9999) if rating else None,
        points=_points(number, line[80:84]),
        place=_number(number, "the place (columns 86-89)", place, 0, 9999) if place else None,
        cells=_cells(number, line),
    )


def _points(number: int, text: str) -> Fraction:
    text = text.strip()
    whole, _, tenths = text.partition(".")
    if not text:
        return Fraction(0)
    if not all(part.isascii() and part.isdigit() for part in (whole or "0", tenths or "0")):
        raise TrfError(f"line {number}: the points (columns 81-84) are {text!r}; write them as 3.5")
    return Fraction(f"{whole or '0'}.{tenths or '0'}")


def _cells(number: int, line: str) -> tuple[Cell | None, ...]:
    found: list[Cell | None] = []
    for at in range(91, len(line.rstrip()), 10):
        if len(found) == MOST_ROUNDS:
            raise TrfError(f"line {number}: more than {MOST_ROUNDS} rounds; split the file")
        found.append(_cell(number, len(found) + 1, line[at : at + 8].ljust(8)))
    return tuple(found)


def _cell(number: int, round_: int, text: str) -> Cell | None:
    if not text.strip():
        return None
    where = f"line {number}, round {round_} (columns {82 + 10 * round_}-{89 + 10 * round_})"
    opponent, colour, result = text[:4].strip(), text[5], text[7]
    if not (opponent.isascii() and opponent.isdigit()):
        raise TrfError(f"{where}: the opponent is {opponent!r}; write a start rank, or 0000")
    rank = int(opponent)
    if colour not in "wb- " or text[4] != " " or text[6] != " ":
        raise TrfError(f"{where}: {text!r} does not fit; write it like '  12 w 1' or '0000 - U'")
    codes = PLAYED + FORFEITS if rank else BYES + FORFEITS + " "
    if result.upper() not in codes:
        raise TrfError(f"{where}: the result is {result!r}; write one of {' '.join(codes.strip())}")
    return Cell(rank, colour.strip() or "-", "Z" if result == " " else result.upper())


def _check(found: _Found) -> None:
    """Check that every pairing is in the lines of both players."""
    for rank, player in found.players.items():
        line = found.lines[rank]
        for at, cell in enumerate(player.cells):
            if cell is None or not cell.opponent:
                continue
            other = found.players.get(cell.opponent)
            if other is None or cell.opponent == rank:
                raise TrfError(
                    f"line {line}, round {at + 1}: there is no opponent with start rank "
                    f"{cell.opponent}; correct it, or add its line"
                )
            back = other.cells[at] if len(other.cells) > at else None
            if back is None or back.opponent != rank:
                raise TrfError(
                    f"line {line}, round {at + 1}: the opponent {cell.opponent} has another "
                    f"pairing in line {found.lines[cell.opponent]}; correct one of the two"
                )
            if not _fit(cell.result, back.result):
                raise TrfError(
                    f"line {line}, round {at + 1}: the result {cell.result} does not fit "
                    f"{back.result} in line {found.lines[cell.opponent]}; correct one of the two"
                )
    for line, *pair in found.forbidden:
        for rank in pair:
            if rank not in found.players:
                raise TrfError(f"line {line}: there is no player with start rank {rank}")


def _fit(one: str, other: str) -> bool:
    return other in _MIRROR[one] or one in _MIRROR[other]
