"""The standing of a series: results added up by bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from damrak_statistics.block_scores import Estimate, comparisons, elo_estimate


@dataclass(frozen=True, slots=True)
class BotFailure:
    """A bot that left the table; `bundle` is the file to run with `damrak repro`.

    Traceback and bundle are given only for the first failures of a kind.
    """

    bot: int
    reason: str
    detail: str
    bundle: str | None
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class Game:
    """One finished game; every tuple has one entry per bot, regardless of seats."""

    places: tuple[int, ...]
    totals: tuple[int, ...]
    routes: tuple[int, ...]
    contracts: tuple[int, ...]
    goods: tuple[int, ...]
    seconds: tuple[float, ...]
    reason: str
    failures: tuple[BotFailure, ...] = ()
    late_failures: tuple[BotFailure, ...] = ()  # printing, and after the end: without effect
    printed: tuple[str, ...] = ()  # the end of the bots' output, for the first game only


@dataclass(frozen=True, slots=True)
class Block:
    """The finished games of one table; `bots` are the indices of its bots, or None for all.

    Entries per bot in a game are in that order.
    """

    index: int
    games: tuple[Game, ...]
    bots: tuple[int, ...] | None = None


@dataclass(slots=True)
class Tally:
    """Sums over the games of one bot."""

    name: str
    games: int = 0
    wins: int = 0  # undivided first place
    shared: int = 0  # shared first place
    places: Counter[int] = field(default_factory=Counter)
    total: int = 0
    routes: int = 0
    contracts: int = 0
    goods: int = 0
    seconds: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    half_points: int = 0
    most: int = 0  # maximum number of half points
    block_scores: Counter[float] = field(default_factory=Counter)

    def mean(self, sum_of: float) -> float:
        """Return a sum as a mean per game; 0 before the first."""
        return sum_of / self.games if self.games else 0.0


class Standing:
    """The sum of all blocks so far; `seats` bots sit at a table, by default all of them."""

    def __init__(self, names: Sequence[str], seats: int | None = None) -> None:
        self.seats = len(names) if seats is None else seats
        self.tallies = [Tally(name) for name in unique_names(names)]
        self.games = 0
        self.blocks = 0
        self.failures: list[BotFailure] = []
        self.late_failures: list[BotFailure] = []
        self.ends: Counter[str] = Counter()
        self.printed: dict[int, str] = {}  # by bot: the end of its output in the first game

    def add(self, block: Block) -> None:
        """Add a block."""
        bots = range(len(self.tallies)) if block.bots is None else block.bots
        half_points = dict.fromkeys(bots, 0)
        for game in block.games:
            for i, half in enumerate(comparisons(game.places)):
                half_points[bots[i]] += half
                self._count(bots[i], game, i)
            self.ends[game.reason] += 1
            self.failures += game.failures
            self.late_failures += game.late_failures
            self.printed |= {bots[i]: text for i, text in enumerate(game.printed) if text.strip()}
        most = 2 * (len(bots) - 1) * len(block.games)
        for bot, half in half_points.items():
            tally = self.tallies[bot]
            tally.half_points += half
            tally.most += most
            tally.block_scores[half / most] += 1
        self.games += len(block.games)
        self.blocks += 1

    def _count(self, bot: int, game: Game, i: int) -> None:
        tally = self.tallies[bot]
        place = game.places[i]
        tally.games += 1
        tally.places[place] += 1
        if place == 1:
            if game.places.count(1) == 1:
                tally.wins += 1
            else:
                tally.shared += 1
        tally.total += game.totals[i]
        tally.routes += game.routes[i]
        tally.contracts += game.contracts[i]
        tally.goods += game.goods[i]
        tally.seconds += game.seconds[i]
        failures = (*game.failures, *game.late_failures)
        tally.faults.update(failure.reason for failure in failures if failure.bot == bot)

    def score(self, bot: int) -> float:
        """Return the share of pairwise comparisons that the bot won; 0.5 before the first game."""
        tally = self.tallies[bot]
        return tally.half_points / tally.most if tally.most else 0.5

    def elo(self, bot: int) -> Estimate | None:
        """Return its Elo difference to its opponents; None before the first block."""
        scores = self.tallies[bot].block_scores
        return elo_estimate(scores) if scores else None


def unique_names(names: Sequence[str]) -> list[str]:
    """Return the names made unique: a second `greedy` becomes `greedy#2`."""
    seen: Counter[str] = Counter()
    given: list[str] = []
    for name in names:
        seen[name] += 1
        given.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return given
