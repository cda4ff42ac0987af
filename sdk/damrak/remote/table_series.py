"""Series at a referee: tables of bots in turn, each in every rotation of its seats.

Remote bots could remember what they have seen, so each game has its own seed.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from damrak.errors import HostError
from damrak.remote.control import Control
from damrak.standing import Block, BotFailure, Game
from damrak_engine.block import rotations
from damrak_engine.board import Board
from damrak_engine.clock import TimeControl
from damrak_engine.dice import SEED_BYTES
from damrak_engine.options import Options
from damrak_engine.replay import Replay, hash_of, parse_replay, read_object
from damrak_engine.strictjson import canonical
from damrak_wire.boards import board_bytes
from damrak_wire.orders import BlockOrder, MatchOrder, Place, SeatOrder
from damrak_wire.reports import BlockEnded, MatchReport, MatchVoided

ATTEMPTS: Final = 5
OWNER: Final = "private"


@dataclass(frozen=True, slots=True)
class Guest:
    """A participating bot, and where it runs."""

    name: str
    place: Place
    version: str = "unknown"


@dataclass(frozen=True, slots=True)
class Table:
    """The setting of a tournament: `seats` guests per table, in all combinations."""

    guests: tuple[Guest, ...]
    seats: int
    board: Board
    options: Options
    control: TimeControl
    start_limit_ms: int = 0

    def sitting(self, block: int) -> tuple[int, ...]:
        """Return which of the guests play in this block."""
        groups = list(combinations(range(len(self.guests)), self.seats))
        return groups[block % len(groups)]


@dataclass(slots=True)
class Tournament:
    """Plays blocks; `name` is the prefix of their ids at the referee."""

    control: Control
    table: Table
    name: str = field(default_factory=lambda: secrets.token_hex(4))
    blocks: int = 0

    def play(self, parallel: int) -> Iterator[tuple[Block, tuple[Replay, ...]]]:
        """Play one block, or several if `parallel` games at a time are more than a block.

        Raises:
            RefereeError: the connection to the referee is lost.
            HostError: a game was void in every attempt; the message gives the reasons.
        """
        at_once = max(1, parallel // self.table.seats)
        reasons: dict[str, None] = {}
        for attempt in range(1, ATTEMPTS + 1):
            order = self._order(at_once, attempt, parallel)
            reports = self._follow(order, reasons)
            if reports is not None:
                yield from self._blocks(order, reports)
                return
        raise HostError(f"{ATTEMPTS} attempts were void: {'; '.join(reasons)}")

    def _follow(
        self, order: BlockOrder, reasons: dict[str, None]
    ) -> Mapping[str, MatchReport] | None:
        """Return the reports of all games, or None if the order must be repeated."""
        reports: dict[str, MatchReport] = {}
        is_over = False
        self.control.start(order)
        try:
            for news in self.control.follow(order.block, order.attempt):
                match news:
                    case MatchReport():
                        reports[news.match] = news
                    case MatchVoided():
                        reasons[news.detail] = None
                    case BlockEnded():
                        is_over = True
        finally:
            if not is_over:
                self.control.cancel(order.block, order.attempt, "interrupted")
        return reports if len(reports) == len(order.matches) else None

    def _order(self, blocks: int, attempt: int, parallel: int) -> BlockOrder:
        table = self.table
        rotates = table.options.first_player == "rotate"
        matches = []
        for block in range(self.blocks, self.blocks + blocks):
            sitting = table.sitting(block)
            for game, seating in enumerate(rotations(table.seats)):
                seats = tuple(_seat(table.guests[sitting[place]]) for place in seating)
                matches.append(
                    MatchOrder(
                        match=f"{self.name}-{block:06}-{game}",
                        seed=secrets.token_bytes(SEED_BYTES),
                        first=block % len(seats) if rotates else None,
                        seats=seats,
                    )
                )
        return BlockOrder(
            block=f"{self.name}-{self.blocks:06}",
            attempt=attempt,
            ladder="",
            board=board_bytes(table.board),
            options=table.options.to_json(),
            control=table.control,
            matches=tuple(matches),
            parallel=max(1, parallel),
            start_limit_ms=table.start_limit_ms,
        )

    def _blocks(
        self, order: BlockOrder, reports: Mapping[str, MatchReport]
    ) -> Iterator[tuple[Block, tuple[Replay, ...]]]:
        turns = rotations(self.table.seats)
        ordered = [reports[match.match] for match in order.matches]
        for start in range(0, len(ordered), len(turns)):
            pairs = list(zip(turns, ordered[start : start + len(turns)], strict=True))
            sitting = self.table.sitting(self.blocks)
            replays = tuple(private_replay(report.replay) for _, report in pairs)
            games = tuple(
                _game(sitting, seating, report, replay)
                for (seating, report), replay in zip(pairs, replays, strict=True)
            )
            block = Block(self.blocks, games, sitting)
            self.blocks += 1
            yield block, replays


def _seat(guest: Guest) -> SeatOrder:
    return SeatOrder(guest.name, guest.version, OWNER, guest.place)


def _game(
    sitting: tuple[int, ...], seating: tuple[int, ...], report: MatchReport, replay: Replay
) -> Game:
    """Return the game as standings count it: by bot, not by seat."""
    seats = [seating.index(bot) for bot in range(len(seating))]
    rows = [replay.result.seats[seat] for seat in seats]
    used = [0] * len(seats)
    for seat, total_us in zip(report.timings.seats, report.timings.total_us, strict=True):
        used[seat] += total_us
    faults = tuple(
        BotFailure(sitting[seating[seat]], row.fault.reason, row.fault.detail, None)
        for seat, row in enumerate(report.seats)
        if row.fault is not None
    )
    return Game(
        places=tuple(row.place for row in rows),
        totals=tuple(row.total for row in rows),
        routes=tuple(row.routes for row in rows),
        contracts=tuple(row.contracts for row in rows),
        goods=tuple(row.goods for row in rows),
        seconds=tuple(used[seat] / 1e6 for seat in seats),
        reason=replay.result.reason,
        failures=faults,
    )


def private_replay(data: bytes) -> Replay:
    """Return the replay of a report as that of a local match.

    A report names the match of its order, and its replay awaits the signature of the ladder. A
    private game has no ladder, and a replay that belongs to no match needs no signature.

    Raises:
        ReplayError: it is malformed.
    """
    raw = {**read_object(data), "match": None, "block": None, "ladder": None}
    return parse_replay(canonical({**raw, "hash": hash_of(raw)}))
