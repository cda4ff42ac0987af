"""Series of games between the same bots, block by block, on many cores.

    plan = SeriesPlan(bots=(parse_spec("greedy"), parse_spec("my_bot.py")), blocks=100)
    standing = Standing(plan.names)
    for block in play_series(plan, processes=4):
        standing.add(block)
    print(standing.elo(0))

The games depend on the plan alone, never on the number of processes: a block's seed is a hash of
the series' seed and the block's number.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from damrak.atomic import write_atomically
from damrak.bundle import Bundle, write_bundle
from damrak.crew import work
from damrak.errors import BotFileError, BotStartError
from damrak.hosting.driver import SeatPlan
from damrak.hosting.hosted import HostedBot
from damrak.hosting.limits import STANDARD_LIMITS
from damrak.hosting.shared import launcher
from damrak.local import STANDARD_CONTROL, GamePlan, play_game
from damrak.record import GameFault, GameRecord
from damrak.specs import BotSpec
from damrak.standing import Block, BotFailure, Game
from damrak_engine.block import rotations
from damrak_engine.board import Board
from damrak_engine.boards import load_board
from damrak_engine.clock import TimeControl
from damrak_engine.errors import OptionsError
from damrak_engine.options import DEFAULTS, Options
from damrak_engine.replay import to_bytes
from damrak_engine.rules import Rules, rules_for

AMSTERDAM: Final = load_board("amsterdam")
BUNDLES_A_KIND: Final = 3  # per bot, kind of fault and process
TOLD: Final = 2000  # characters kept of what a bot printed in the first game


@dataclass(frozen=True, slots=True)
class SeriesPlan:
    """A series to play: `blocks` blocks between these bots.

    A mirrored block is one seed and as many games as bots, so that every bot plays every seat once.
    Without mirroring, every game has its own seed and is a block by itself; the bots still rotate
    seats.
    """

    bots: tuple[BotSpec, ...]
    blocks: int
    board: Board = AMSTERDAM
    options: Options = DEFAULTS
    control: TimeControl = STANDARD_CONTROL
    seed: str = "0"
    is_mirrored: bool = True
    save: Path | None = None  # a folder for the replays, one per game
    bundles: Path | None = None  # a folder for repro bundles of bots that fail

    @property
    def names(self) -> tuple[str, ...]:
        """The bots' names, in the order in which results list them."""
        return tuple(bot.name for bot in self.bots)

    @property
    def games_a_block(self) -> int:
        """The number of games with the same seed."""
        return len(self.bots) if self.is_mirrored else 1

    @property
    def games(self) -> int:
        """The number of games of the series."""
        return self.blocks * self.games_a_block

    def seatings(self, block: int) -> list[tuple[int, ...]]:
        """Return, for each game of a block, which of the bots sits in each seat."""
        turns = rotations(len(self.bots))
        return turns if self.is_mirrored else [turns[block % len(turns)]]

    def game(self, block: int, seating: tuple[int, ...]) -> GamePlan:
        """Return the plan of one game of a block."""
        named = self.options.first_player == "rotate"
        return GamePlan(
            board=self.board,
            bots=tuple(self.bots[bot] for bot in seating),
            seed=hashlib.sha256(f"damrak-series/1/{self.seed}/{block}".encode()).digest(),
            options=self.options,
            control=self.control,
            first=block % len(seating) if named else None,
        )

    def check(self) -> None:
        """Check for problems that would make every game fail.

        Raises:
            OptionsError: the board does not support this number of players, or the options name a
                seat that does not exist.
            BotFileError: a file contains no bot, or several.
            BotStartError: a bot fails when it is imported, created or started.
            HostError: this machine cannot run bots.
        """
        rules = rules_for(self.board, len(self.bots), self.options)
        first = self.options.first_player.removeprefix("seat ")
        if first.isdecimal() and int(first) >= rules.seats:
            raise OptionsError(f"first_player: a table of {rules.seats} has no seat {first}")
        for bot in dict.fromkeys(self.bots):
            if not bot.is_house:
                self._check_start(bot, rules)

    def _check_start(self, spec: BotSpec, rules: Rules) -> None:
        seat = SeatPlan(spec, 0, self.control, 0)
        bot = HostedBot(launcher(), seat, rules, STANDARD_LIMITS)
        try:
            fault = bot.start()
        finally:
            bot.close()
        if fault is None:
            return
        if fault.detail.startswith(f"{BotFileError.__name__}: "):
            prefix = str(BotFileError(spec.text, ""))
            raise BotFileError(spec.text, fault.detail.partition(prefix)[2])
        name = f"{_file_name(spec.name)}-{fault.reason}-start.json"
        bundle = keep_bundle(Bundle(seat, rules, fault, bot.output), self.bundles, name)
        raise BotStartError(spec.text, fault.reason, fault.detail, fault.traceback, bundle)


def keep_bundle(bundle: Bundle, folder: Path | None, name: str) -> str | None:
    """Write a bundle to a folder. Returns its path, or None if it cannot be written."""
    if folder is None:
        return None
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_bundle(bundle, path)
    except OSError:  # a failed write must not end the series
        return None
    return str(path)


def _file_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text)


def play_series(plan: SeriesPlan, processes: int = 0) -> Generator[Block]:
    """Play the blocks and yield them in order; with 0 processes, in this process.

    Worker processes are spawned, so a script that uses them must be importable: its main code
    belongs under `if __name__ == "__main__":`. Ctrl-C ends the series: finished blocks are still
    yielded, then KeyboardInterrupt is raised.

    Raises:
        OptionsError, BotFileError, BotStartError: see `SeriesPlan.check`.
        HostError: games could not be played because of a problem on this machine.
    """
    plan.check()
    return work(_Series(plan), min(processes, plan.blocks))


@dataclass(frozen=True, slots=True)
class _Played:
    """A block that has been played, but not written yet."""

    index: int
    games: tuple[tuple[tuple[int, ...], GameRecord], ...]  # each with its seating


class _Series:
    """A series plan as a job for worker processes."""

    def __init__(self, plan: SeriesPlan) -> None:
        self.plan = plan
        self._bundles: Counter[tuple[str, str]] = Counter()

    @property
    def count(self) -> int:
        """Return the number of blocks."""
        return self.plan.blocks

    def do(self, number: int) -> _Played:
        """Play a block."""
        plan = self.plan
        seatings = plan.seatings(number)
        games = [(seating, play_game(plan.game(number, seating))) for seating in seatings]
        return _Played(number, tuple(games))

    def keep(self, work: _Played) -> Block:
        """Write the files of a block, and return its summary."""
        games = []
        for game, (seating, record) in enumerate(work.games):
            if self.plan.save is not None:
                path = self.plan.save / _file(work.index, game)
                write_atomically(path, to_bytes(record.replay))
            name = _file(work.index, game)
            made = self._game(name, seating, record)
            if work.index == game == 0:
                seats = [seating.index(bot) for bot in range(len(seating))]
                made = replace(made, printed=tuple(record.output[it][-TOLD:] for it in seats))
            games.append(made)
        return Block(work.index, tuple(games))

    def discard(self, number: int) -> None:
        """Remove the replays of a block."""
        if self.plan.save is not None:
            for game in range(self.plan.games_a_block):
                (self.plan.save / _file(number, game)).unlink(missing_ok=True)

    def _game(self, name: str, seating: tuple[int, ...], record: GameRecord) -> Game:
        seats = [seating.index(bot) for bot in range(len(seating))]
        rows = [record.result.seats[seat] for seat in seats]
        return Game(
            places=tuple(row.place for row in rows),
            totals=tuple(row.total for row in rows),
            routes=tuple(row.routes for row in rows),
            contracts=tuple(row.contracts for row in rows),
            goods=tuple(row.goods for row in rows),
            seconds=tuple(record.seconds[seat] for seat in seats),
            reason=record.result.reason,
            failures=tuple(self._failure(name, seating[it.seat], it) for it in record.faults),
            late_failures=tuple(
                self._failure(name, seating[it.seat], it) for it in record.late_faults
            ),
        )

    def _failure(self, name: str, bot: int, fault: GameFault) -> BotFailure:
        kind = (self.plan.names[bot], fault.reason)
        if self._bundles[kind] >= BUNDLES_A_KIND:
            return BotFailure(bot, fault.reason, fault.detail, None)
        self._bundles[kind] += 1
        file = f"{_file_name(self.plan.names[bot])}-{fault.reason}-{name}"
        bundle = keep_bundle(fault.bundle, self.plan.bundles, file)
        return BotFailure(bot, fault.reason, fault.detail, bundle, fault.traceback)


def _file(block: int, game: int) -> str:
    """Return the file name of a game's replay; such names sort by block and game."""
    return f"{block:06}-{game}.json"
