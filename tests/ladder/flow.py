"""A running ladder for tests: connected hosts, and a player with simulated results."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from damrak_ladder.matches.attempts import Trouble, start
from damrak_ladder.matches.models import Blame, Block, Host, Seat
from damrak_ladder.matches.record import MatchOutcome, Report, SeatOutcome, record
from damrak_ladder.pipeline.outcome.settlement import settle
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.queue.scheduler import schedule
from ladder.people import NOW
from ladder.tables import PATIENCE

SECOND = timedelta(seconds=1)


def some_host(name: str = "alpha", workers: int = 2, now: datetime = NOW, **values: object) -> Host:
    """Return a host that has just reported."""
    return Host.objects.create(
        name=name, workers=workers, capacity=64, first_seen=now, last_seen=now, **values
    )


def tokens_of(seed: int) -> Callable[[int], bytes]:
    """Return a generator of bytes that are the same in every run."""
    return random.Random(seed).randbytes


Strength = Callable[[Seat], float]
"""The strength of a seat: the mean of its random result; the highest result wins."""

Breaks = Callable[[Seat], str]
"""The fault with which a seat leaves the game; empty if it does not."""


def equal(seat: Seat) -> float:
    """Return equal strengths."""
    return 0.0


def sound(seat: Seat) -> str:
    """Return no fault."""
    return ""


@dataclass(slots=True)
class Player:
    """A worker with a referee that simulates the games."""

    seed: int = 0
    strength: Strength = equal
    breaks: Breaks = sound
    owner: Blame = Blame.BOT
    takes: timedelta = SECOND  # per block
    orders: list[tuple[str, int, int]] = field(default_factory=list)
    played: int = 0  # number of blocks; their keys differ between runs

    def send(self, host: str, block: int, latest: int) -> None:
        """Accept an order."""
        self.orders.append((host, block, latest))

    def play_all(self, now: datetime) -> list[int]:
        """Play and settle the ordered blocks, and return them."""
        done = []
        while self.orders:
            host, block_id, latest = self.orders.pop(0)
            host_id = Host.objects.get(name=host).pk
            block = start(block_id, latest, host, now, PATIENCE, host_id)
            if block is not None:
                record(self.report(block), now + self.takes)
                settle(block.pk, now + self.takes)
                done.append(block.pk)
        return done

    def report(self, block: Block) -> Report:
        """Return random results according to the strengths."""
        chance = random.Random(f"{self.seed} {self.played}")
        self.played += 1
        matches, faults = [], []
        for match in block.matches.order_by("number").prefetch_related("seats__version__bot"):
            seats = sorted(match.seats.all(), key=lambda seat: seat.number)
            broken = [self.breaks(seat) for seat in seats]
            drawn = [
                (not fault, self.strength(seat) + chance.gauss(0, 1))
                for seat, fault in zip(seats, broken, strict=True)
            ]
            order = sorted(range(len(seats)), key=lambda at: drawn[at], reverse=True)
            outcome = [
                SeatOutcome(turn=at, place=order.index(at) + 1, points=0, fault=broken[at])
                for at in range(len(seats))
            ]
            faults += [
                Trouble(self.owner, fault, "as the test wants it", match.number, at)
                for at, fault in enumerate(broken)
                if fault
            ]
            matches.append(MatchOutcome(f"{block.pk:056x}{match.number:08x}", tuple(outcome)))
        return Report(block.pk, block.attempt, tuple(matches), tuple(faults))


def rounds(player: Player, count: int, now: datetime = NOW, seed: int = 1) -> datetime:
    """Book, dispatch, play and settle `count` times; return the time after that."""
    tokens = tokens_of(seed)
    for _ in range(count):
        Host.objects.update(last_seen=now)
        schedule(now, tokens)
        dispatch(now, player.send)
        player.play_all(now)
        now += 2 * SECOND
    return now
