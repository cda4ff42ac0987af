"""Workers, a lossy broker, a reaper and crashes in any order: each block is recorded once.

Time is a number, and random numbers are seeded, so that failures are reproducible.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from damrak_ladder.matches.attempts import Trouble, due, give_up, reap, renew, requeue, start
from damrak_ladder.matches.errors import StaleReport
from damrak_ladder.matches.models import Blame, Block, BlockState
from damrak_ladder.matches.record import record
from damrak_ladder.message_codes.block_codes import ReportedVoid
from ladder.interruptions import is_dead_after
from ladder.people import NOW
from ladder.tables import PATIENCE, check_counted_once, report_of, some_block, some_versions

BLOCKS = 4
STEPS = 150
MORTALITY = 0.2


@dataclass
class World:
    """All state outside the database. None of it has to be durable."""

    chance: random.Random
    now: datetime = NOW
    letters: list[tuple[int, int]] = field(default_factory=list)  # block, its latest attempt
    running: list[tuple[int, int, int]] = field(default_factory=list)  # block, attempt, worker
    workers: int = 0
    recorded: dict[int, int] = field(default_factory=dict)  # number of records by block

    def step(self) -> None:
        """Execute a random event, perhaps with a crash."""
        act = self.chance.choice(
            [
                *[self.announce, self.start, self.start, self.renew, self.record, self.record],
                *[self.give_up, self.reap, self.requeue, self.wait, self.forget],
            ]
        )
        if self.chance.random() < MORTALITY:
            is_dead_after(act, self.chance.randrange(10))
        else:
            act()

    def announce(self) -> None:
        """Add messages of the scheduler to the broker, which keeps the previous ones, too."""
        self.letters += due(self.now, 10)

    def start(self) -> None:
        """Deliver a message to a worker, perhaps repeatedly."""
        if not self.letters:
            return
        block_id, latest = self.chance.choice(self.letters)
        self.workers += 1
        worker = self.workers
        block = start(block_id, latest, f"worker {worker}", self.now, PATIENCE)
        if block is not None:
            self.running.append((block_id, block.attempt, worker))

    def renew(self) -> None:
        if self.running:
            block_id, attempt, _ = self.chance.choice(self.running)
            renew(block_id, attempt, self.now, PATIENCE)

    def record(self) -> None:
        """Let a worker report, perhaps late, perhaps repeatedly."""
        if not self.running:
            return
        block_id, attempt, worker = self.chance.choice(self.running)
        report = report_of(Block.objects.get(pk=block_id), attempt, worker)
        try:
            is_first = record(report, self.now)
        except StaleReport:
            return
        self.recorded[block_id] = self.recorded.get(block_id, 0) + is_first

    def give_up(self) -> None:
        if self.running:
            block_id, attempt, _ = self.chance.choice(self.running)
            fault = Trouble(Blame.HOST, "sandbox")
            give_up(block_id, attempt, ReportedVoid("a host fault"), [fault], self.now, PATIENCE)

    def reap(self) -> None:
        reap(self.now, PATIENCE)

    def requeue(self) -> None:
        for block_id in Block.objects.filter(state=BlockState.DEAD).values_list("pk", flat=True):
            requeue(block_id, self.now)

    def wait(self) -> None:
        self.now += timedelta(seconds=self.chance.choice([1, 10, 70]))

    def forget(self) -> None:
        """Lose all state of the broker or of the workers."""
        self.chance.choice([self.letters, self.running]).clear()

    def finish(self) -> None:
        """Continue without crashes."""
        for _ in range(50):
            self.now += timedelta(minutes=2)
            tidy: list[Callable[[], None]] = [self.reap, self.requeue]
            for act in tidy:
                act()
            for block_id, latest in due(self.now, BLOCKS):
                block = start(block_id, latest, "last", self.now, PATIENCE)
                assert block is not None
                assert record(report_of(block, block.attempt), self.now)


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize("seed", range(6))
def test_every_block_is_always_recorded_once(seed: int) -> None:
    world = World(random.Random(seed))
    versions = some_versions()
    blocks = [some_block(versions) for _ in range(BLOCKS)]
    for _ in range(STEPS):
        world.step()
    assert all(count <= 1 for count in world.recorded.values())
    world.finish()
    assert Block.objects.count() == BLOCKS
    for block in blocks:
        block.refresh_from_db()
        check_counted_once(block)
