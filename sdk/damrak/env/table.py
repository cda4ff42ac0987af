"""The table used by both environments: consecutive games under the same rules."""

from __future__ import annotations

import random
from collections.abc import Mapping

from damrak_engine.board import Board
from damrak_engine.boards import load_board
from damrak_engine.deal import new_game
from damrak_engine.dice import QuickDice
from damrak_engine.events import Event
from damrak_engine.options import Options, parse_options
from damrak_engine.rules import Rules, rules_for
from damrak_engine.scoring import Result, result
from damrak_engine.state import State

OptionsGiven = Options | Mapping[str, str] | None


def rules_given(board: str | Board, players: int, options: OptionsGiven) -> Rules:
    """Return the rules of a game between this many players.

    Raises:
        KeyError: there is no such board.
        OptionsError: an option is unknown, or does not allow this number of players.
    """
    if isinstance(board, str):
        board = load_board(board)
    if not isinstance(options, Options):
        options = parse_options(dict(options or {}))
    return rules_for(board, players, options)


class Table:
    """The rules of a table, and the source of all its random numbers."""

    def __init__(self, board: str | Board, players: int, options: OptionsGiven) -> None:
        self.rules = rules_given(board, players, options)
        self.seed(None)

    def seed(self, seed: int | None) -> None:
        """Restart the random numbers from a seed, or from the system if it is None."""
        self.random = random.Random(seed)
        self.dice = QuickDice(self.random.random)
        self._dealt = 0

    def deal(self, log: list[Event] | None = None) -> State:
        """Deal a new game. With the option first_player = rotate the seats begin in turn."""
        first = None
        if self.rules.options.first_player == "rotate":
            first = self._dealt % self.rules.seats
        self._dealt += 1
        return new_game(self.rules, self.dice, log, first)

    def result(self, state: State) -> Result:
        """Return the result of a finished game."""
        return result(state, self.dice)
