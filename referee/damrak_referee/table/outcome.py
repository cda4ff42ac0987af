"""The order for a match, and its outcome."""

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
    jitter_ms: int = 0  # the longest delay before a decision is passed on
    watch_delay_ms: int = 0
    # Seats reached over a network, by ticket: a bot that never connects is not at fault, and a new
    # connection takes over from one that was left open.
    remote: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SeatOutcome:
    """The outcome of one seat."""

    name: str  # as sent by the bot, or else its name in the order
    fault: SeatFault | None
    rejections: tuple[str, ...]
    ready_us: int  # from the order until the bot was ready; 0 if it never was


@dataclass(frozen=True)
class Outcome:
    """The outcome of a match: it has a replay, or it was declared void."""

    replay: Replay | None
    voided: Voided | None
    seats: tuple[SeatOutcome, ...]
    timings: Timings

    @cached_property
    def replay_file(self) -> bytes | None:
        """The content of the replay file."""
        return None if self.replay is None else replay.to_bytes(self.replay)


def outcome_of(
    order: TableOrder,
    match: Match,
    played: Played,
    seats: tuple[SeatOutcome, ...],
    timings: Timings,
) -> Outcome:
    """Return the outcome of a match that is over."""
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
    """Return the time of day in UTC, for people."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
