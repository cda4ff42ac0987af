"""What a match was to be, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from damrak_engine import replay
from damrak_engine.clock import TimeControl
from damrak_engine.effects import Voided
from damrak_engine.match import Match
from damrak_engine.replay import Played, Player, Replay
from damrak_engine.rules import Rules
from damrak_wire.reports import SeatFault, Timings


@dataclass(frozen=True, slots=True)
class TableOrder:
    """A match to be played; `players` by seat, `first` only with first_player = rotate."""

    match: str
    block: str
    attempt: int
    ladder: str | None
    rules: Rules
    seed: bytes
    control: TimeControl
    first: int | None
    players: tuple[Player, ...]
    jitter_ms: int = 0  # the longest wait before a decision is passed on
    watch_delay_ms: int = 0
    # Seats that are reached over a network, by ticket: those that never come are no bot's fault,
    # and whoever comes back takes over from the connection it may have left behind.
    remote: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SeatOutcome:
    """What became of one seat."""

    name: str  # what the bot calls itself, or else its name in the order
    fault: SeatFault | None
    rejections: tuple[str, ...]
    ready_us: int  # from the order until it was ready; 0 if it never was


@dataclass(frozen=True)
class Outcome:
    """What became of a match: it has a replay, or it was declared void."""

    replay: Replay | None
    voided: Voided | None
    seats: tuple[SeatOutcome, ...]
    timings: Timings

    @cached_property
    def replay_file(self) -> bytes | None:
        """The replay as the content of a file."""
        return None if self.replay is None else replay.to_bytes(self.replay)


def outcome_of(
    order: TableOrder,
    match: Match,
    played: Played,
    seats: tuple[SeatOutcome, ...],
    timings: Timings,
) -> Outcome:
    """What became of a match that is over."""
    if match.result is None:
        return Outcome(None, match.voided, seats, timings)
    recorded = replay.record(
        board=order.rules.board,
        options=order.rules.options,
        seats=order.players,
        seed=order.seed,
        events=match.log,
        result=match.result,
        played=played,
        match=order.match,
        block=order.block,
        ladder=order.ladder,
    )
    return Outcome(recorded, None, seats, timings)


def wall_clock() -> str:
    """The time of day, for people."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
