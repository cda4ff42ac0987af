"""Matchmaking: the choice of tables, fair sharing of capacity, and the expected queue."""

from damrak_ladder.matchmaking.field import HOUSE, MEMORY, UNLIMITED, Entrant, Field
from damrak_ladder.matchmaking.policy import Policy, Table
from damrak_ladder.matchmaking.queue import Held, Outlook, Waiting, outlook
from damrak_ladder.matchmaking.seating import arrange
from damrak_ladder.matchmaking.share import Shares
from damrak_ladder.matchmaking.waiting_limit import MOST_TURNS

__all__ = [
    "HOUSE",
    "MEMORY",
    "MOST_TURNS",
    "UNLIMITED",
    "Entrant",
    "Field",
    "Held",
    "Outlook",
    "Policy",
    "Shares",
    "Table",
    "Waiting",
    "arrange",
    "outlook",
]
