"""What a series has come to so far, bot by bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from damrak.stats import Estimate, comparisons, elo_estimate


@dataclass(frozen=True, slots=True)
class BotFailure:
    """A bot that left the table; `bundle` is the file that `damrak repro` runs again."""

    bot: int
    reason: str
    detail: str
    bundle: str | None


@dataclass(frozen=True, slots=True)
class Game:
    """One finished game; every tuple has one entry a bot, wherever it sat."""

    places: tuple[int, ...]
    totals: tuple[int, ...]
    routes: tuple[int, ...]
    contracts: tuple[int, ...]
    goods: tuple[int, ...]
    seconds: tuple[float, ...]
    reason: str
    failures: tuple[BotFailure, ...] = ()
    late_failures: tuple[BotFailure, ...] = ()  # after the end: they change nothing


@dataclass(frozen=True, slots=True)
class Block:
    """The finished games of one seed."""

    index: int
    games: tuple[Game, ...]


@dataclass(slots=True)
class Tally:
    """Sums over the games of one bot."""

    name: str
    games: int = 0
    wins: int = 0  # first place alone
    shared: int = 0  # first place together with others
    places: Counter[int] = field(default_factory=Counter)
    total: int = 0
    routes: int = 0
    contracts: int = 0
    goods: int = 0
    seconds: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    half_points: int = 0
    block_scores: Counter[float] = field(default_factory=Counter)

    def mean(self, sum_of: float) -> float:
        """A sum as a mean per game; 0 before the first."""
        return sum_of / self.games if self.games else 0.0


class Standing:
    """The blocks played so far, added up."""

    def __init__(self, names: Sequence[str]) -> None:
        self.tallies = [Tally(name) for name in unique_names(names)]
        self.games = 0
        self.blocks = 0
        self.failures: list[BotFailure] = []
        self.late_failures: list[BotFailure] = []
        self.ends: Counter[str] = Counter()

    def add(self, block: Block) -> None:
        """Count a block."""
        half_points = [0] * len(self.tallies)
        for game in block.games:
            for bot, half in enumerate(comparisons(game.places)):
                half_points[bot] += half
                self._count(bot, game)
            self.ends[game.reason] += 1
            self.failures += game.failures
            self.late_failures += game.late_failures
        most = 2 * (len(self.tallies) - 1) * len(block.games)
        for tally, half in zip(self.tallies, half_points, strict=True):
            tally.half_points += half
            tally.block_scores[half / most] += 1
        self.games += len(block.games)
        self.blocks += 1

    def _count(self, bot: int, game: Game) -> None:
        tally = self.tallies[bot]
        place = game.places[bot]
        tally.games += 1
        tally.places[place] += 1
        if place == 1:
            if game.places.count(1) == 1:
                tally.wins += 1
            else:
                tally.shared += 1
        tally.total += game.totals[bot]
        tally.routes += game.routes[bot]
        tally.contracts += game.contracts[bot]
        tally.goods += game.goods[bot]
        tally.seconds += game.seconds[bot]
        tally.faults.update(failure.reason for failure in game.failures if failure.bot == bot)

    def score(self, bot: int) -> float:
        """The share of 1 that this bot took from its opponents, pair by pair; 0.5 before all."""
        tally = self.tallies[bot]
        most = 2 * (len(self.tallies) - 1) * tally.games
        return tally.half_points / most if most else 0.5

    def elo(self, bot: int) -> Estimate | None:
        """Its Elo difference to its opponents; None before the first block."""
        return elo_estimate(self.tallies[bot].block_scores) if self.blocks else None


def unique_names(names: Sequence[str]) -> list[str]:
    """The names, a second `greedy` called `greedy#2`."""
    seen: Counter[str] = Counter()
    given: list[str] = []
    for name in names:
        seen[name] += 1
        given.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return given
