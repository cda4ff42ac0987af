"""Exceptions of games of people.

PlayError
├── BadChoice      what was asked for does not exist, such as an unknown opponent or pace
├── BotAway        the chosen remote bot is not connected
├── TooManyGames   the address has too many unfinished games
└── TableFull      every chair for a person is taken
"""

from __future__ import annotations


class PlayError(Exception):
    """A game cannot be created or joined."""


class BadChoice(PlayError):
    """What was asked for does not exist."""


class BotAway(PlayError):
    """The chosen remote bot is not connected."""


class TooManyGames(PlayError):
    """The address has too many unfinished games."""


class TableFull(PlayError):
    """Every chair for a person is taken."""
