"""The Elo of house bots, measured in games between them under a ladder's conditions.

The games are played by `damrak play` in a separate process, and read from the replays it saves.
"""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from damrak_engine.clock import TimeControl
from damrak_engine.events import Deal
from damrak_engine.generator import generate
from damrak_engine.replay import parse_replay
from damrak_ladder.matches.boards import DAILY, board_file
from damrak_ladder.matches.models import Ladder
from damrak_ladder.matches.time_control import control_of
from damrak_ladder.ratings import Block, Game, History, Ratings, Scale, rate, rate_by_seats

_NEW_BOARDS: Final = 10  # the number of boards that represent the boards of the day


class NotPlayed(Exception):
    """`damrak play` failed; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A house bot and its Elo on the scale of the fixed anchor."""

    bot: str
    elo: int
    sd: int  # standard deviation; 0 for the fixed anchor
    games: int
    by_size: Mapping[int, int]  # Elo at tables of 2, 3 and 4

    @property
    def option(self) -> str:
        """The value for `damrak-ladder ladders change --anchors`."""
        return f"{self.bot}={self.elo}" + (f":{self.sd}" if self.sd else "")


@dataclass(frozen=True, slots=True)
class Gaps:
    """The bots to measure and their conditions: the Elo of the first bot is given."""

    ladder: Ladder
    bots: tuple[str, ...]
    elo: float
    games: int  # at each table
    seed: str
    jobs: int | None = None

    @property
    def tables(self) -> list[tuple[str, ...]]:
        """All tables of different bots, of the sizes that the ladder plays."""
        sizes = sorted(int(seats) for seats, share in self.ladder.shares.items() if share > 0)
        return [table for size in sizes for table in itertools.combinations(self.bots, size)]


def measure(gaps: Gaps, progress: Callable[[int, int, str], None]) -> list[Measured]:
    """Play all tables and return the Elo of each bot.

    `progress` is called with the number of tables played, the number of all tables, and the next
    table.

    Raises:
        NotPlayed: the games could not be played.
    """
    blocks: list[Block] = []
    tables = gaps.tables
    with TemporaryDirectory(prefix="damrak-anchors-") as folder:
        boards = _boards(gaps.ladder, Path(folder))
        for number, table in enumerate(tables):
            progress(number, len(tables), " ".join(table))
            places = tuple(gaps.bots.index(bot) for bot in table)
            for at, board in enumerate(boards):
                saved = Path(folder) / f"{number}-{at}"
                _play(gaps, table, board, saved, math.ceil(gaps.games / len(boards)))
                blocks += _blocks(saved, table, places)
    progress(len(tables), len(tables), "")
    return _measured(gaps, History.of(blocks))


def _boards(ladder: Ladder, folder: Path) -> list[Path]:
    """Write the boards of the ladder to files and return their paths."""
    texts: list[bytes] = []
    for entry in ladder.boards:
        if entry.startswith(DAILY):
            locations = int(entry.removeprefix(DAILY))
            made = (generate(seed, locations) for seed in range(_NEW_BOARDS))
            texts += (json.dumps(board).encode() for board in made)
        else:
            texts.append(board_file(entry))
    paths = [folder / f"board-{number}.json" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    return paths


def _play(gaps: Gaps, table: Sequence[str], board: Path, saved: Path, games: int) -> None:
    control: TimeControl = control_of(gaps.ladder.control)
    decision = "none" if control.decision_ms is None else f"{control.decision_ms / 1000:g}"
    options = [f"{name}={value}" for name, value in gaps.ladder.options.items()]
    command = [
        *(sys.executable, "-m", "damrak", "play", *table, "--games", str(games), "--json"),
        *("--board", str(board), "--seed", f"{gaps.seed}/{board.stem}/{'/'.join(table)}"),
        *("--bank", f"{control.bank_ms / 1000:g}", "--decision", decision),
        *("--increment", f"{control.increment_ms / 1000:g}", "--save", str(saved)),
        *(("--options", *options) if options else ()),
        *(("--jobs", str(gaps.jobs)) if gaps.jobs else ()),
    ]
    done = subprocess.run(  # noqa: S603 - the command is ours, and specs have been checked
        command, capture_output=True, text=True, check=False
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
        raise NotPlayed(f"damrak play {' '.join(table)}: {lines[-1]}")


def _blocks(saved: Path, table: Sequence[str], places: tuple[int, ...]) -> Iterator[Block]:
    """Yield the blocks whose replays are in this folder, named BLOCK-GAME.json."""
    names = sorted(saved.glob("*-*.json"))
    for _, files in itertools.groupby(names, key=lambda path: path.stem.partition("-")[0]):
        yield Block(places, tuple(_game(path.read_bytes(), table) for path in files))


def _game(data: bytes, table: Sequence[str]) -> Game:
    replay = parse_replay(data)
    deal = replay.events[0]
    assert isinstance(deal, Deal)  # the first event of every replay
    seats = {player.bot: seat for seat, player in enumerate(replay.seats)}
    at = [seats[bot] for bot in table]
    return Game(
        turns=tuple((seat - deal.first) % len(table) for seat in at),
        places=tuple(replay.result.seats[seat].place for seat in at),
    )


def _measured(gaps: Gaps, history: History) -> list[Measured]:
    scale, count = Scale({0: gaps.elo}), len(gaps.bots)
    whole, sizes = rate(history, count, scale), rate_by_seats(history, count, scale)
    return [
        Measured(
            bot=bot,
            elo=round(float(whole.elo[at])),
            sd=math.ceil(_deviation(at, whole, list(sizes.values()))) if at else 0,
            games=int(whole.games[at]),
            by_size={seats: round(float(one.elo[at])) for seats, one in sizes.items()},
        )
        for at, bot in enumerate(gaps.bots)
    ]


def _deviation(at: int, whole: Ratings, sizes: Sequence[Ratings]) -> float:
    """Return the SD of a bot's Elo: its error and any excess variation between table sizes."""
    error = float(whole.widths[at]) ** 2
    if len(sizes) > 1:
        spread: Any = np.var([one.elo[at] for one in sizes], ddof=1)
        error += max(0.0, float(spread - np.mean([one.widths[at] ** 2 for one in sizes])))
    return math.sqrt(error)
