"""What a series has come to so far, bot by bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from damrak_engine.statistics import Estimate, comparisons, elo_estimate


@dataclass(frozen=True, slots=True)
class BotFailure:
    """A bot that left the table; `bundle` is the file that `damrak repro` runs again.

    The traceback is told with the first of them only, as the file is.
    """

    bot: int
    reason: str
    detail: str
    bundle: str | None
    traceback: str = ""


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
    late_failures: tuple[BotFailure, ...] = ()  # printing, and after the end: they change nothing
    printed: tuple[str, ...] = ()  # the end of what they printed, told of the first game only


@dataclass(frozen=True, slots=True)
class Block:
    """The finished games of one table; `bots` are those of the standing that sat there: None, all.

    What a game has by bot is in that order.
    """

    index: int
    games: tuple[Game, ...]
    bots: tuple[int, ...] | None = None


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
    most: int = 0  # half points there were to be had
    block_scores: Counter[float] = field(default_factory=Counter)

    def mean(self, sum_of: float) -> float:
        """A sum as a mean per game; 0 before the first."""
        return sum_of / self.games if self.games else 0.0


class Standing:
    """The blocks played so far, added up; at a table sit so many of the bots, or all."""

    def __init__(self, names: Sequence[str], seats: int | None = None) -> None:
        self.seats = len(names) if seats is None else seats
        self.tallies = [Tally(name) for name in unique_names(names)]
        self.games = 0
        self.blocks = 0
        self.failures: list[BotFailure] = []
        self.late_failures: list[BotFailure] = []
        self.ends: Counter[str] = Counter()
        self.printed: dict[int, str] = {}  # by bot: the end of what it did in the first game

    def add(self, block: Block) -> None:
        """Count a block."""
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
        """The share of 1 that this bot took from its opponents, pair by pair; 0.5 before all."""
        tally = self.tallies[bot]
        return tally.half_points / tally.most if tally.most else 0.5

    def elo(self, bot: int) -> Estimate | None:
        """Its Elo difference to its opponents; None before the first block."""
        scores = self.tallies[bot].block_scores
        return elo_estimate(scores) if scores else None


def unique_names(names: Sequence[str]) -> list[str]:
    """The names, a second `greedy` called `greedy#2`."""
    seen: Counter[str] = Counter()
    given: list[str] = []
    for name in names:
        seen[name] += 1
        given.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return given
