"""Writing of TRF files."""

from __future__ import annotations

from fractions import Fraction
from unicodedata import normalize

from damrak_ladder.tournaments.trf.values import Cell, Player, TrfTournament

_NAME = 33


def write(tournament: TrfTournament) -> str:
    """Returns the file: ASCII, at most 33 columns for a name, lines that end with LF."""
    lines = [f"012 {ascii_name(tournament.name, 100)}", f"062 {len(tournament.players)}"]
    lines += [_line(player) for player in tournament.players]
    if tournament.rounds is not None:
        lines.append(f"XXR {tournament.rounds}")
    lines.append("XXC white1")
    lines += [f"XXP {one} {other}" for one, other in tournament.forbidden]
    return "\n".join(lines) + "\n"


def ascii_name(name: str, width: int = _NAME) -> str:
    """Returns a name in printable ASCII: letters lose their marks, others become question marks."""
    plain = normalize("NFKD", name).replace("ß", "ss").replace("ø", "o").replace("Ø", "O")
    plain = plain.replace("ł", "l").replace("Ł", "L").replace("æ", "ae").replace("Æ", "AE")
    letters = [
        one if " " <= one <= "~" else "" if normalize("NFD", one) != one or _is_mark(one) else "?"
        for one in plain
    ]
    return " ".join("".join(letters).split())[:width] or "?"


def _is_mark(letter: str) -> bool:
    return "\u0300" <= letter <= "\u036f"


def _line(player: Player) -> str:
    rating = "" if player.rating is None else f"{min(9999, max(0, player.rating))}"
    place = "" if player.place is None else f"{player.place}"
    head = (
        f"001 {player.rank:>4}      {ascii_name(player.name):<{_NAME}} {rating:>4}"
        f"{'':28}{_points(player.points):>4} {place:>4}"
    )
    return (head + "".join(f"  {_cell(cell):<8}" for cell in player.cells)).rstrip()


def _points(points: Fraction) -> str:
    return f"{float(points):.1f}"


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    opponent = f"{cell.opponent:>4}" if cell.opponent else "0000"
    return f"{opponent} {cell.colour} {cell.result}"
