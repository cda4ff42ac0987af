"""Write a bot, play the Amsterdam cart game against others, trust the result."""

from damrak import interpreted

if interpreted.is_wanted():
    interpreted.force_interpreted_engine()

from damrak.bot import Bot, MatchInfo
from damrak.network import Network, Path
from damrak.view import Affordable, ContractView, Opponent, View
from damrak_engine.actions import (
    Action,
    ClaimRoute,
    DrawBlind,
    DrawContracts,
    KeepContracts,
    PassTurn,
    TakeCard,
)
from damrak_engine.board import Board, Contract, Location, Route
from damrak_engine.cards import Card
from damrak_engine.clock import TimeControl, TimeLeft
from damrak_engine.events import Event
from damrak_engine.scoring import Result

__all__ = [
    "Action",
    "Affordable",
    "Board",
    "Bot",
    "Card",
    "ClaimRoute",
    "Contract",
    "ContractView",
    "DrawBlind",
    "DrawContracts",
    "Event",
    "KeepContracts",
    "Location",
    "MatchInfo",
    "Network",
    "Opponent",
    "PassTurn",
    "Path",
    "Result",
    "Route",
    "TakeCard",
    "TimeControl",
    "TimeLeft",
    "View",
]
