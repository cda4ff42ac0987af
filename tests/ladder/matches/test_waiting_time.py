"""No bot waits for a table longer than the limit, whatever happens between two calls."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Bot, Kind
from damrak_ladder.matches.entries import enter, leave
from damrak_ladder.matches.models import Block, BlockState, Entry, Host, Ladder, Seat
from damrak_ladder.matches.waiting_time import current_waits, note_seated
from damrak_ladder.matchmaking import MOST_TURNS, Policy
from damrak_ladder.pipeline.queue.scheduler import ABANDONED_AFTER, schedule
from damrak_ladder.standings.models import Tally
from ladder.bot_versions import some_bot, some_version
from ladder.flow import SECOND, some_host, tokens_of
from ladder.ladders import some_ladder
from ladder.people import NOW

pytestmark = pytest.mark.usefixtures("database")


def entered(slug: str, ladder: Ladder, kind: Kind = Kind.UPLOADED) -> Bot:
    bot = some_bot(slug)
    promote(bot.pk, None, some_version(bot, slug, kind).pk, NOW)
    bot.refresh_from_db()
    enter(ladder, bot, NOW)
    return bot


def tables_after(block: int) -> list[set[int]]:
    """Return the bots at each table booked after this block, in the order of booking."""
    found: dict[int, set[int]] = {}
    seats = Seat.objects.filter(match__number=0, match__block_id__gt=block)
    for at, bot in seats.order_by("match__block").values_list("match__block", "version__bot"):
        found.setdefault(at, set()).add(bot)
    return list(found.values())


def longest_gaps(bots: Collection[int], tables: list[set[int]]) -> dict[int, int]:
    gaps = {}
    for bot in bots:
        at = [-1, *(number for number, table in enumerate(tables) if bot in table), len(tables)]
        gaps[bot] = max(after - before - 1 for before, after in pairwise(at))
    return gaps


def waits_of(ladder: Ladder) -> dict[str, tuple[float | None, float]]:
    rows = Entry.objects.filter(ladder=ladder).values_list("bot__slug", "since", "waited")
    return {slug: (since, waited) for slug, since, waited in rows}


@pytest.mark.statistical
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # its queries are tested on both
@pytest.mark.parametrize("shares", [{"2": 1.0}, {"3": 1.0, "4": 1.0}])
@given(calls=st.lists(st.integers(1, 4), min_size=8, max_size=12), seed=st.integers(0, 99))
@settings(
    max_examples=2, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_bot_waits_longer_than_four_fair_turns(
    shares: dict[str, float], calls: list[int], seed: int
) -> None:
    """With two bots per owner, hosts of any size, and one bot that the ranking does not need.

    Every call reads all its input from the database.
    """
    number = Ladder.objects.count()
    ladder = some_ladder(f"l{number}", shares=shares)
    bots = [entered(f"b{number}-{at}", ladder) for at in range(10)]
    for one, other in zip(bots[::2], bots[1::2], strict=True):
        Bot.objects.filter(pk=other.pk).update(owner=one.owner)
    settled = bots[0].live
    assert settled is not None
    Tally.objects.create(ladder=ladder, version=settled, seats=2, turn=0, blocks=10_000)
    before = max(Block.objects.values_list("pk", flat=True), default=0)
    for at, workers in enumerate([*calls, 4, 4, 4, 4]):
        Host.objects.all().delete()
        some_host(f"h{number}-{at}", workers=workers)
        schedule(NOW, tokens_of(100 * seed + at))
        Block.objects.update(state=BlockState.RECORDED)
    tables = tables_after(before)
    Ladder.objects.filter(pk=ladder.pk).update(is_open=False)
    seats = Policy(shares={int(size): share for size, share in shares.items()}).seats
    limit = MOST_TURNS * len(bots) / seats
    assert len(tables) > 1.3 * limit
    assert max(longest_gaps([bot.pk for bot in bots], tables).values()) <= limit


def test_the_wait_of_an_absent_bot_stops() -> None:
    ladder = some_ladder()
    here, away = (entered(slug, ladder) for slug in ("here", "away"))
    both = {here.pk, away.pk}
    assert current_waits(ladder, both) == {here.pk: 0, away.pk: 0}
    for _ in range(3):
        note_seated(ladder, [here.pk], eligible=2)
    assert current_waits(ladder, both) == {here.pk: 0, away.pk: 1.5}
    assert current_waits(ladder, {here.pk}) == {here.pk: 0}
    for _ in range(10):
        note_seated(ladder, [here.pk], eligible=1)
    assert current_waits(ladder, both) == {here.pk: 0, away.pk: 1.5}
    note_seated(ladder, [away.pk], eligible=2)
    assert current_waits(ladder, both) == {here.pk: 0.5, away.pk: 0}


def test_a_bot_that_enters_again_starts_a_new_wait() -> None:
    ladder = some_ladder()
    bot = entered("stan", ladder)
    current_waits(ladder, {bot.pk})
    note_seated(ladder, [], eligible=1)
    leave(ladder, bot, NOW)
    enter(ladder, bot, NOW)
    assert current_waits(ladder, {bot.pk}) == {bot.pk: 0}


def test_the_rivals_of_a_bot_that_is_gone_come_first_again() -> None:
    """A cancelled table has seated no bot."""
    ladder = some_ladder()
    rita = entered("rita", ladder, Kind.REMOTE)
    for at in range(5):
        entered(f"b{at}", ladder)
    host = some_host(workers=1, waiting=["rita"])
    schedule(NOW, tokens_of(1))
    [rivals] = [table - {rita.pk} for table in tables_after(0) if rita.pk in table][:1]
    Block.objects.exclude(matches__seats__version=rita.live).update(state=BlockState.RECORDED)
    last = max(Block.objects.values_list("pk", flat=True))
    later = NOW + ABANDONED_AFTER + SECOND
    Host.objects.filter(pk=host.pk).update(waiting=[], last_seen=later)
    schedule(later, tokens_of(2))
    assert rivals <= tables_after(last)[0] | tables_after(last)[1]
