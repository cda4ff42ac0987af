"""TRF: the text format in which programs exchange tournaments for two."""

from damrak_ladder.tournaments.trf.parsing import parse
from damrak_ladder.tournaments.trf.values import (
    Cell,
    Player,
    TrfError,
    TrfTournament,
    from_rounds,
)
from damrak_ladder.tournaments.trf.writing import ascii_name, write

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
