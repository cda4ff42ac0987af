"""The state of fair sharing between flows, in one row that every scheduler locks first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings

from damrak_ladder.matches.models import FlowClock
from damrak_ladder.matchmaking import Shares

_ROW: Final = 1
_BURST_S: Final = 10.0  # how much of the per-minute limit may be used at once


@dataclass(slots=True)
class Turns:
    """The progress of the flows, and the number of games that may begin now (None: unlimited)."""

    shares: Shares
    games: float | None

    def may_play(self) -> bool:
        """Return whether the limit of games per minute allows another block."""
        return self.games is None or self.games > 0

    def serve(self, flow: str, games: int, seconds: float, weight: float) -> None:
        """Count a block of this many games, which take this many seconds in total."""
        self.shares = self.shares.served(flow, seconds, weight)
        if self.games is not None:
            self.games -= games

    def keep(self, now: datetime) -> None:
        """Save the state, in the transaction in which it was read."""
        FlowClock.objects.filter(pk=_ROW).update(
            clock=self.shares.clock,
            reached=dict(self.shares.reached),
            games_left=0.0 if self.games is None else self.games,
            counted=now,
        )


def locked_turns(now: datetime) -> Turns:
    """Return the turns, locked until the end of the transaction."""
    FlowClock.objects.get_or_create(pk=_ROW)
    row = FlowClock.objects.select_for_update(no_key=True).get(pk=_ROW)
    return _turns(row, now)


def turns_now(now: datetime) -> Turns:
    """Return the current turns for reading only."""
    return _turns(FlowClock.objects.filter(pk=_ROW).first() or FlowClock(), now)


def _turns(row: FlowClock, now: datetime) -> Turns:
    shares = Shares(row.clock, row.reached)
    limit = settings.DAMRAK_GAMES_PER_MINUTE
    if limit is None:
        return Turns(shares, None)
    most = limit * _BURST_S / 60
    if row.counted is None:
        return Turns(shares, most)
    passed = max(0.0, (now - row.counted).total_seconds())
    return Turns(shares, min(most, row.games_left + passed * limit / 60))
