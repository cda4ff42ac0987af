"""SDK for the Amsterdam cart game: write bots, play games, and verify results.

Public names are imported on first access, so that commands start fast and load only what they need.
"""

from damrak import interpreted

if interpreted.is_wanted():
    interpreted.force_interpreted_engine()

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, without the cost of importing `typing`
if TYPE_CHECKING:
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

_HOME = {
    "Action": "damrak_engine.actions",
    "Affordable": "damrak.view",
    "Board": "damrak_engine.board",
    "Bot": "damrak.bot",
    "Card": "damrak_engine.cards",
    "ClaimRoute": "damrak_engine.actions",
    "Contract": "damrak_engine.board",
    "ContractView": "damrak.view",
    "DrawBlind": "damrak_engine.actions",
    "DrawContracts": "damrak_engine.actions",
    "Event": "damrak_engine.events",
    "KeepContracts": "damrak_engine.actions",
    "Location": "damrak_engine.board",
    "MatchInfo": "damrak.bot",
    "Network": "damrak.network",
    "Opponent": "damrak.view",
    "PassTurn": "damrak_engine.actions",
    "Path": "damrak.network",
    "Result": "damrak_engine.scoring",
    "Route": "damrak_engine.board",
    "TakeCard": "damrak_engine.actions",
    "TimeControl": "damrak_engine.clock",
    "TimeLeft": "damrak_engine.clock",
    "View": "damrak.view",
}

if not TYPE_CHECKING:  # hidden from type checkers, which would accept any name otherwise

    def __getattr__(name):
        """Import a public name on first access."""
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
