"""Who plays whom next, whose turn on the machine it is, and what the queue says."""

from damrak_ladder.matchmaking.field import HOUSE, MEMORY, Entrant, Field
from damrak_ladder.matchmaking.queue import Outlook, Waiting, outlook
from damrak_ladder.matchmaking.seating import Policy, Table, arrange
from damrak_ladder.matchmaking.share import Shares

__all__ = [
    "HOUSE",
    "MEMORY",
    "Entrant",
    "Field",
    "Outlook",
    "Policy",
    "Shares",
    "Table",
    "Waiting",
    "arrange",
    "outlook",
]
