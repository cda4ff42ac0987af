"""Health of a board: random games without stalemate, about as long as on amsterdam.

Games are played with each number of players from two to four that the board supports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from damrak_engine.board import Board
from damrak_engine.deal import new_game
from damrak_engine.dice import QuickDice
from damrak_engine.rules import Rules
from damrak_engine.state import rollout

# Actions in a random game on amsterdam by number of players, passes included; docs/boards.md
# describes how they were measured.
USUAL_LENGTH: Final = {2: 59.1, 3: 86.2, 4: 113.2}
TOLERANCE: Final = 0.25
STEP: Final = 100  # games between two progress reports


@dataclass(frozen=True, slots=True)
class TableHealth:
    """Results of the random games with one number of players."""

    seats: int
    games: int
    actions: int
    stalemates: int

    @property
    def length(self) -> float:
        """The mean number of actions in a game."""
        return self.actions / self.games

    @property
    def length_ratio(self) -> float:
        """The mean length of a game, compared with amsterdam."""
        return self.length / USUAL_LENGTH[self.seats]

    @property
    def is_of_usual_length(self) -> bool:
        """Whether the games are within a quarter of amsterdam's length."""
        return abs(self.length_ratio - 1) <= TOLERANCE


@dataclass(frozen=True, slots=True)
class Health:
    """Results of the random games on one board."""

    tables: tuple[TableHealth, ...]

    @property
    def stalemates(self) -> int:
        """The number of games that ended in a stalemate."""
        return sum(table.stalemates for table in self.tables)

    @property
    def is_of_usual_length(self) -> bool:
        """Whether the games of every number of players are of the usual length."""
        return all(table.is_of_usual_length for table in self.tables)

    @property
    def is_healthy(self) -> bool:
        """Whether there was no stalemate and all games were of the usual length."""
        return self.stalemates == 0 and self.is_of_usual_length


def health(
    board: Board,
    games: int,
    random: Callable[[], float],
    progress: Callable[[int], None] | None = None,
) -> Health:
    """Play `games` random games, divided among the numbers of players.

    `random` returns numbers in [0, 1), such as `random.Random(7).random`; `progress` is called
    regularly with the number of games played since its last call.
    """
    low, high = board.players
    counts = range(low, high + 1)
    shares = [games // len(counts) + (i < games % len(counts)) for i in range(len(counts))]
    tables = []
    for seats, share in zip(counts, shares, strict=True):
        actions = stalemates = 0
        for played in _steps(share):
            some_actions, some_stalemates = _play(board, seats, played, random)
            actions += some_actions
            stalemates += some_stalemates
            if progress is not None:
                progress(played)
        tables.append(TableHealth(seats, share, actions, stalemates))
    return Health(tuple(tables))


def _steps(games: int) -> Iterator[int]:
    for done in range(0, games, STEP):
        yield min(STEP, games - done)


def _play(board: Board, seats: int, games: int, random: Callable[[], float]) -> tuple[int, int]:
    rules = Rules(board, seats)  # not cached: many boards are examined only once
    dice = QuickDice(random)
    actions = stalemates = 0
    for _ in range(games):
        state = new_game(rules, dice)
        actions += rollout(state, random)
        stalemates += state.end_reason == "stalemate"
    return actions, stalemates
