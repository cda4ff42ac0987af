"""TRF: the text format in which programs exchange tournaments for two."""

from damrak_ladder.tournaments.trf.parser import parse
from damrak_ladder.tournaments.trf.values import (
    Cell,
    Player,
    TrfError,
    TrfTournament,
    from_rounds,
)
from damrak_ladder.tournaments.trf.writer import ascii_name, write

__all__ = [
    "Cell",
    "Player",
    "TrfError",
    "TrfTournament",
    "ascii_name",
    "from_rounds",
    "parse",
    "write",
]
