"""The first blocks of a test are played soon, with a bounded share of the machine."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from damrak_ladder.bots.models import Bot, Kind
from damrak_ladder.matches.entries import seat_house
from damrak_ladder.matches.flows import BURST, QUALIFICATION, weights_of
from damrak_ladder.matches.models import Block, Ladder, Purpose
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.queue.scheduler import schedule
from damrak_ladder.trials import burst
from damrak_ladder.trials.models import Trial
from damrak_ladder.trials.trials import Bounds, cancel, start
from ladder.bot_versions import some_bot, some_version
from ladder.flow import Player, rounds, some_host, tokens_of
from ladder.ladders import some_ladder
from ladder.people import NOW

pytestmark = pytest.mark.usefixtures("database")
LONG = Bounds(elo1=5, most=500)


def busy_site() -> datetime:
    """Create three ladders that always have work, on one host that plays two blocks at a time."""
    for slug in ("amsterdam", "blitz", "crowd"):
        ladder = some_ladder(slug, house=["random", "greedy", "planner"], rotations=2)
        seat_house(ladder, NOW)
    some_host(workers=2)
    return rounds(Player(), 6)


def some_trial(owner: str, now: datetime) -> Trial:
    """Return a test of the owner's bot, which is created if necessary."""
    bot = Bot.objects.filter(slug=f"bot-of-{owner}").first() or some_bot(f"bot-of-{owner}", owner)
    old, new = (some_version(bot, f"{owner} {uuid4()}", Kind.UPLOADED) for _ in "12")
    return start(bot.owner, new, old, Ladder.objects.get(slug="amsterdam"), LONG, now)


def handed_out(now: datetime, count: int) -> list[str]:
    """Return the purposes of the next blocks that are sent to hosts."""
    player = Player()
    tokens = tokens_of(3)
    purposes: list[str] = []
    while len(purposes) < count:
        schedule(now, tokens)
        dispatch(now, player.send)
        blocks = [block for _, block, _ in player.orders]
        by_key = dict(Block.objects.filter(pk__in=blocks).values_list("pk", "purpose"))
        purposes += [by_key[block] for block in blocks]
        player.play_all(now)
    return purposes[:count]


def blocks_until(purposes: list[str], tests: int) -> int:
    """Return the number of blocks sent until this number of them belonged to tests."""
    at = [number for number, purpose in enumerate(purposes, 1) if purpose == Purpose.TEST]
    return at[tests - 1]


def test_first_blocks_of_a_test_come_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    count, now = 4, busy_site()
    trial = some_trial("ann", now)
    with_burst = handed_out(now, 14)
    cancel(trial.pk, now)
    handed_out(now, 6)
    monkeypatch.setattr(burst, "BLOCKS", 0)
    some_trial("rita", now)
    without = handed_out(now, 32)
    soon, late = blocks_until(with_burst, count), blocks_until(without, count)
    sys.stdout.write(f"block {count} of the test was number {soon}, without a burst {late}\n")
    assert soon <= 2 * count
    assert late >= 2 * soon


def test_bursts_have_half_of_the_machine_at_most() -> None:
    now = busy_site()
    for owner in ("ann", "bob", "cas"):
        some_trial(owner, now)
    handed_out(now, 24)
    latest = Block.objects.filter(created__gte=now).order_by("pk")[:24]
    flows = Counter(block.flow for block in latest)
    assert 4 <= flows[BURST] <= 13
    assert {f"ladder:{slug}" for slug in ("amsterdam", "blitz", "crowd")} <= flows.keys()


def test_burst_ends_and_its_owner_cannot_renew_it_at_once() -> None:
    now = busy_site()
    for _ in range(3):
        trial = some_trial("ann", now)
        handed_out(now, 20)
        assert trial.blocks.filter(block__flow=BURST).count() <= burst.BLOCKS
        cancel(trial.pk, now)
    spent = Block.objects.filter(flow=BURST)
    assert spent.count() == burst.OWNER_BLOCKS
    Block.objects.update(created=now - burst.PERIOD - timedelta(seconds=1))
    some_trial("ann", now)
    handed_out(now, 12)
    assert spent.count() > burst.OWNER_BLOCKS


@pytest.mark.parametrize("others", [{"ladder:a", "ladder:b", "owner:1"}, set()])
def test_burst_leaves_others_their_share(others: set[str]) -> None:
    weights = weights_of({*others, BURST, QUALIFICATION})
    total = sum(weights.values())
    assert weights[QUALIFICATION] == total / 2
    assert weights[BURST] <= (total - weights[QUALIFICATION]) / (2 if others else 1)
