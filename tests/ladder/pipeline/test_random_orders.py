"""Random events in any order: no overbooking, no loss, and no double counting."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

import pytest

from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.bots.submission import Submission, register
from damrak_ladder.matches.attempts import give_up, reap, start
from damrak_ladder.matches.entries import seat_house
from damrak_ladder.matches.models import Block, BlockState, Host, HostState, Purpose
from damrak_ladder.matches.record import record
from damrak_ladder.message_codes.block_codes import ReportedVoid
from damrak_ladder.pipeline.outcome.qualification import begin
from damrak_ladder.pipeline.outcome.settlement import settle, settle_leftovers
from damrak_ladder.pipeline.queue.capacity import MOST_AHEAD, places
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.queue.scheduler import schedule
from damrak_ladder.standings.models import Counted, Tally
from damrak_ladder.trials.models import Canary, CanaryState, Trial
from damrak_ladder.trials.trials import Bounds, progress, start as start_test
from ladder.bot_versions import some_bot, some_version
from ladder.flow import Player, some_host, tokens_of
from ladder.ladders import some_ladder
from ladder.people import NOW
from ladder.tables import PATIENCE

pytestmark = pytest.mark.usefixtures("database")
STEPS = 40


class World:
    """Two hosts, a ladder, a test, a canary and a newcomer, with random events."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.now = NOW
        self.player = Player(seed)
        self.tokens = tokens_of(seed)
        ladder = some_ladder(house=["random", "greedy", "planner"], shares={"2": 1, "3": 1})
        seat_house(ladder, NOW)
        bot = some_bot()
        old, new = (some_version(bot, spec, Kind.UPLOADED) for spec in ("old", "new"))
        promote(bot.pk, None, old.pk, NOW)
        self.trial = start_test(bot.owner, new, old, ladder, Bounds(elo1=5, most=6), NOW)
        Canary.objects.create(version=new, ladder=ladder, most=4, created=NOW)
        self.newcomer = register(some_bot("rita"), Submission(Kind.UPLOADED, spec="r"), NOW)
        begin(self.newcomer, NOW)
        for name in ("alpha", "beta"):
            some_host(name, workers=self.chance.choice([1, 2]))

    def step(self) -> None:
        """Execute a random event."""
        self.now += timedelta(seconds=self.chance.uniform(0, 4))
        Host.objects.exclude(state=HostState.QUARANTINED).update(last_seen=self.now)
        act = self.chance.choice(
            [
                self.schedule,
                self.schedule,
                self.dispatch,
                self.dispatch,
                self.play,
                self.play,
                self.play,
                self.lose,
                self.fail,
                self.fall_silent,
                self.settle,
                self.settle,
            ]
        )
        act()

    def schedule(self) -> None:
        schedule(self.now, self.tokens)

    def dispatch(self) -> None:
        dispatch(self.now, self.player.send)

    def lose(self) -> None:
        """Lose all messages of the broker."""
        self.player.orders.clear()

    def play(self) -> None:
        """Play one of a worker's orders, perhaps one that was delivered twice."""
        if self.player.orders:
            host, block_id, latest = self.chance.choice(self.player.orders)
            host_id = Host.objects.get(name=host).pk
            block = start(block_id, latest, host, self.now, PATIENCE, host_id)
            if block is not None and self.chance.random() < 0.9:
                record(self.player.report(block), self.now)

    def fail(self) -> None:
        """Let a worker give up, or its lease expire."""
        running = Block.objects.filter(state=BlockState.RUNNING).first()
        if running is not None:
            give_up(running.pk, running.attempt, ReportedVoid("no memory"), [], self.now, PATIENCE)
        reap(self.now, PATIENCE)

    def fall_silent(self) -> None:
        """Let a host disappear, or return."""
        host = self.chance.choice(list(Host.objects.all()))
        back = host.state == HostState.QUARANTINED
        state = HostState.TRUSTED if back else HostState.QUARANTINED
        Host.objects.filter(pk=host.pk).update(state=state)

    def settle(self) -> None:
        """Settle some blocks, whether they are due or not."""
        blocks = list(Block.objects.values_list("pk", flat=True))
        for block in self.chance.sample(blocks, min(3, len(blocks))):
            settle(block, self.now)
            settle(block, self.now)

    def check(self) -> None:
        """Check the invariants that must hold at every moment."""
        for place in places(self.now):
            running = Block.objects.filter(host=place.host, state=BlockState.RUNNING).count()
            assert place.assigned - running <= place.host.workers * (1 + MOST_AHEAD)
        unassigned = Block.objects.filter(
            state=BlockState.WAITING, host=None, purpose__in=[Purpose.LADDER, Purpose.TEST]
        )
        assert unassigned.count() <= 2 * 2 * (2 * 2 + 2 * MOST_AHEAD)
        counted = Block.objects.filter(purpose=Purpose.LADDER, settled__isnull=False).count()
        assert Counted.objects.count() == counted
        assert self.trial.blocks.count() <= self.trial.most


@pytest.mark.parametrize("seed", range(3))
def test_chance_never_overbooks_or_counts_twice(seed: int) -> None:
    world = World(seed)
    for _ in range(STEPS):
        world.step()
        world.check()
    Host.objects.update(state=HostState.TRUSTED)
    for _ in range(40):  # from here on without disturbances
        world.now += timedelta(seconds=30)
        Host.objects.update(last_seen=world.now)
        reap(world.now, PATIENCE)
        world.schedule()
        world.dispatch()
        world.player.play_all(world.now)
        settle_leftovers(world.now)
        world.check()
        Block.objects.filter(state=BlockState.DEAD).update(
            state=BlockState.WAITING, tries=0, due=world.now, host=None, sent=None
        )
        newcomer = Version.objects.get(pk=world.newcomer.pk)
        ended = Canary.objects.get().ended and Trial.objects.get().ended
        if ended and newcomer.state == "qualified":
            break
    assert newcomer.state == "qualified"
    assert progress(Trial.objects.get()).blocks == world.trial.most
    assert Canary.objects.get().state == CanaryState.FINISHED
    assert not Block.objects.filter(state=BlockState.RECORDED, settled=None).exists()


def recorded(count: int) -> list[int]:
    """Return blocks of a ladder that have been played, but not settled."""
    ladder = some_ladder(house=["random", "greedy", "planner"], shares={"2": 1, "3": 1})
    seat_house(ladder, NOW)
    some_host(workers=count)
    schedule(NOW, tokens_of(3))
    player = Player(5)
    dispatch(NOW, player.send)
    for host, block_id, latest in player.orders:
        block = start(block_id, latest, host, NOW, PATIENCE)
        assert block is not None
        record(player.report(block), NOW)
    return [block for _, block, _ in player.orders]


def tallies() -> Counter[tuple[object, ...]]:
    rows = Tally.objects.values_list(
        "version__spec", "seats", "turn", "games", "blocks", "halves", "first", "faults"
    )
    return Counter(rows)


def test_order_and_doubles_make_no_difference() -> None:
    blocks = recorded(7)
    for block in blocks:
        settle(block, NOW)
    in_order = tallies()
    assert sum(row[3] for row in in_order.elements() if isinstance(row[3], int)) > 0
    Tally.objects.all().delete()
    Counted.objects.all().delete()
    Block.objects.update(settled=None)
    chance = random.Random(1)
    often = blocks * 3
    chance.shuffle(often)
    assert sum(settle(block, NOW) for block in often) == len(blocks)
    assert tallies() == in_order
