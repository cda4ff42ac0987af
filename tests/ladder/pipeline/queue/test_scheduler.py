"""Hosts get as much work as they need, and flows get their shares."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import override_settings

from damrak_ladder.bots.house import house_version
from damrak_ladder.bots.lifecycle import promote
from damrak_ladder.bots.models import Bot, Kind
from damrak_ladder.bots.submission import Submission, register
from damrak_ladder.matches.attempts import give_up, start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.entries import enter, seat_house
from damrak_ladder.matches.hosts import SILENT_AFTER
from damrak_ladder.matches.models import (
    Block,
    BlockState,
    Host,
    HostState,
    Ladder,
    Purpose,
    Seat,
)
from damrak_ladder.message_codes.block_codes import ReportedVoid
from damrak_ladder.pipeline.attempt import execution
from damrak_ladder.pipeline.outcome.qualification import begin
from damrak_ladder.pipeline.queue.capacity import places, runs_low
from damrak_ladder.pipeline.queue.dispatch import SENT_AGAIN_AFTER, dispatch
from damrak_ladder.pipeline.queue.fair_share import locked_turns
from damrak_ladder.pipeline.queue.scheduler import ABANDONED_AFTER, schedule
from damrak_ladder.pipeline.queue.sources import REMOTE_BLOCKS
from damrak_ladder.pipeline.submission import connect
from damrak_ladder.standings.fit.publication import publish
from damrak_ladder.standings.read.table import table
from ladder.bot_versions import some_bot, some_version
from ladder.concurrent_writes import meddling
from ladder.flow import SECOND, Player, rounds, some_host, tokens_of
from ladder.ladders import some_ladder
from ladder.people import NOW
from ladder.tables import PATIENCE, SEED

alone = pytest.mark.usefixtures("database")
# Averages over many rounds do not depend on the database; each step of a round is tested on both.
on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def house_ladder(slug: str = "practice", **values: Any) -> Ladder:
    ladder = some_ladder(slug, house=["random", "greedy", "planner"], **values)
    seat_house(ladder, NOW)
    return ladder


def newcomer(slug: str, ladder: Ladder, kind: Kind = Kind.UPLOADED, owner: str = "") -> Bot:
    bot = some_bot(slug, owner or None)
    promote(bot.pk, None, some_version(bot, slug, kind).pk, NOW)
    bot.refresh_from_db()
    enter(ladder, bot, NOW)
    return bot


def waiting() -> int:
    return Block.objects.filter(state=BlockState.WAITING).count()


def tables() -> list[set[str]]:
    found: dict[int, set[str]] = {}
    rows = Seat.objects.filter(match__number=0).values_list("match__block", "version__bot__slug")
    for block, slug in rows:
        found.setdefault(block, set()).add(slug)
    return list(found.values())


@alone
def test_without_a_host_nothing_is_booked() -> None:
    house_ladder()
    assert schedule(NOW, tokens_of(1)) == 0


@alone
def test_bots_that_never_connect_do_not_block_qualification() -> None:
    house_ladder()
    some_host(workers=1)
    stan = some_bot()
    for number in range(70):
        spec = Submission(Kind.REMOTE, spec=str(number))
        begin(register(stan, spec, NOW + timedelta(hours=number)), NOW)
    mine = begin(register(some_bot("tess"), Submission(Kind.UPLOADED, spec="one"), NOW), NOW)
    Ladder.objects.update(is_open=False)
    schedule(NOW, tokens_of(1))
    player = Player()
    assert dispatch(NOW, player.send) == 1
    assert player.orders == [("alpha", mine.pk, 0)]


@alone
@pytest.mark.parametrize("board", ["sunk", "daily:7000"])
def test_unplayable_ladder_does_not_block_others(board: str) -> None:
    house_ladder("broken", boards=[board])
    house_ladder("whole")
    some_host(workers=2)
    assert schedule(NOW, tokens_of(1)) > 0
    assert set(Block.objects.values_list("flow", flat=True)) == {"ladder:whole"}


@alone
@pytest.mark.parametrize(
    "unfit",
    [
        {"state": HostState.QUARANTINED},
        {"capacity": 0},
        {"workers": 0},
        {"last_seen": NOW - SILENT_AFTER - SECOND},
    ],
)
def test_host_that_is_not_well_gets_nothing(unfit: dict[str, Any]) -> None:
    house_ladder()
    Host.objects.filter(pk=some_host().pk).update(**unfit)
    schedule(NOW, tokens_of(1))
    assert dispatch(NOW, Player().send) == 0
    assert waiting() == 0


@alone
def test_scheduling_again_books_no_more() -> None:
    house_ladder()
    some_host(workers=3)
    first = schedule(NOW, tokens_of(1))
    assert first > 3
    assert schedule(NOW, tokens_of(2)) == 0
    player = Player(takes=5 * SECOND)
    assert dispatch(NOW, player.send) == 4
    assert dispatch(NOW, player.send) == 0
    assert schedule(NOW, tokens_of(3)) == 0
    player.play_all(NOW)
    assert 1 <= schedule(NOW, tokens_of(4)) <= 4


@alone
def test_host_gets_its_capacity_and_one_more() -> None:
    house_ladder()
    some_host("alpha", workers=1)
    some_host("beta", workers=3)
    player = Player()
    schedule(NOW, tokens_of(1))
    dispatch(NOW, player.send)
    assert Counter(host for host, _, _ in player.orders) == {"alpha": 2, "beta": 4}


@alone
@pytest.mark.parametrize(("takes", "ahead"), [(0.01, 8), (0.25, 8), (0.7, 2), (30.0, 1)])
def test_host_gets_a_second_of_short_blocks(takes: float, ahead: int) -> None:
    house_ladder()
    some_host(workers=2)
    now = rounds(Player(takes=timedelta(seconds=takes)), 3)
    [place] = places(now)
    assert place.ahead == ahead


@alone
def test_host_runs_low_after_starting_half_of_its_orders() -> None:
    house_ladder()
    host = some_host(workers=2)
    assert runs_low(host.pk)
    now = rounds(Player(takes=timedelta(seconds=0.25)), 2)
    player = Player()
    schedule(now, tokens_of(9))
    assert dispatch(now, player.send) == 10
    assert schedule(now, tokens_of(10)) == 0
    assert not runs_low(host.pk)
    for order in player.orders[:6]:
        assert start(order[1], order[2], "alpha", now, PATIENCE, host.pk) is not None
    assert runs_low(host.pk)


@alone
@pytest.mark.parametrize(("lease", "wait"), [(60, SENT_AGAIN_AFTER), (20, 5 * SECOND)])
def test_lost_message_is_sent_again_and_a_begun_block_is_not(
    lease: int, wait: timedelta, settings: Any
) -> None:
    settings.DAMRAK_LEASE_SECONDS = lease
    house_ladder()
    some_host(workers=1)
    player = Player()
    schedule(NOW, tokens_of(1))
    dispatch(NOW, player.send)
    (host, begun, latest), lost = player.orders
    start(begun, latest, host, NOW, PATIENCE, Host.objects.get().pk)
    again = Player()
    dispatch(NOW + wait - SECOND, again.send)
    assert again.orders == []
    later = NOW + wait + SECOND
    Host.objects.update(last_seen=later)
    dispatch(later, again.send)
    assert again.orders == [lost]
    dispatch(later, again.send)
    assert again.orders == [lost]


@alone
def test_silent_host_loses_what_it_has_not_begun() -> None:
    house_ladder()
    some_host("alpha", workers=1)
    player = Player()
    schedule(NOW, tokens_of(1))
    dispatch(NOW, player.send)
    later = NOW + SILENT_AFTER + SECOND
    some_host("beta", workers=1, now=later)
    other = Player()
    dispatch(later, other.send)
    assert {block for _, block, _ in other.orders} == {block for _, block, _ in player.orders}
    assert {host for host, _, _ in other.orders} == {"beta"}


@alone
def test_block_goes_to_another_host_than_the_one_that_failed() -> None:
    house_ladder()
    alpha = some_host("alpha", workers=4)
    some_host("beta", workers=1)
    player = Player()
    schedule(NOW, tokens_of(1))
    dispatch(NOW, player.send)
    block = next(block for host, block, _ in player.orders if host == "alpha")
    start(block, 0, "alpha", NOW, PATIENCE, alpha.pk)
    give_up(block, 1, ReportedVoid("no memory"), [], NOW, PATIENCE)
    Block.objects.exclude(pk=block).delete()
    again = Player()
    dispatch(NOW + 5 * SECOND, again.send)
    assert again.orders == [("beta", block, 1)]


@pytest.mark.statistical
@on_sqlite
@alone
def test_games_per_minute_are_kept() -> None:
    house_ladder()
    some_host(workers=50)
    with override_settings(DAMRAK_GAMES_PER_MINUTE=60):
        player, games, now = Player(), 0, NOW
        for _ in range(30):  # a minute
            Host.objects.update(last_seen=now)
            schedule(now, tokens_of(1))
            dispatch(now, player.send)
            games += 2 * len(player.play_all(now))
            now += 2 * SECOND
    assert 56 <= games <= 80


@alone
def test_no_two_bots_of_one_owner_meet_but_house_bots_do() -> None:
    ladder = house_ladder(shares={"2": 1, "3": 1, "4": 1})
    for slug in ("a", "b", "c"):
        newcomer(slug, ladder)
    Bot.objects.filter(slug__in=["a", "b", "c"]).update(owner=Bot.objects.get(slug="a").owner)
    some_host(workers=4)
    rounds(Player(), 12)
    found = tables()
    assert len(found) > 40
    assert all(len(table & {"a", "b", "c"}) <= 1 for table in found)
    assert any(len(table - {"a", "b", "c"}) > 1 for table in found)
    assert Counter(len(table) for table in found).keys() == {2, 3, 4}


@alone
def test_remote_bot_plays_only_where_it_waits() -> None:
    ladder = house_ladder()
    newcomer("rita", ladder, Kind.REMOTE)
    some_host("alpha", workers=2)
    beta = some_host("beta", workers=2)
    rounds(Player(), 3)
    assert not any("rita" in table for table in tables())
    Host.objects.filter(pk=beta.pk).update(waiting=["rita"])
    player = Player()
    later = NOW + 60 * SECOND
    for number in range(6):
        Host.objects.update(last_seen=later)
        schedule(later, tokens_of(number + 10))
        hers = Block.objects.filter(matches__seats__version__bot__slug="rita").distinct()
        assert hers.filter(state=BlockState.WAITING).count() <= REMOTE_BLOCKS
        dispatch(later, player.send)
        hosts = {block: host for host, block, _ in player.orders}
        player.play_all(later)
        remote = Seat.objects.filter(version__bot__slug="rita", match__block__in=hosts)
        assert {hosts[block] for block in remote.values_list("match__block", flat=True)} <= {"beta"}
        later += 2 * SECOND
    assert any("rita" in table for table in tables())


@alone
def test_blocks_of_a_remote_bot_that_is_gone_are_struck() -> None:
    ladder = house_ladder()
    newcomer("rita", ladder, Kind.REMOTE)
    host = some_host(workers=2, waiting=["rita"])
    schedule(NOW, tokens_of(1))
    assert any("rita" in table for table in tables())
    for passed, is_there in ((-SECOND, True), (SECOND, False)):
        later = NOW + ABANDONED_AFTER + passed
        Host.objects.filter(pk=host.pk).update(waiting=[], last_seen=later)
        schedule(later, tokens_of(2))
        assert any("rita" in table for table in tables()) == is_there


@alone
def test_no_version_plays_in_the_name_of_the_one_before() -> None:
    ladder = house_ladder()
    rita = newcomer("rita", ladder, Kind.REMOTE)
    tess = some_bot("tess")
    connect(tess, "one", NOW)
    some_host(workers=8, waiting=["rita", "tess"])
    schedule(NOW, tokens_of(1))
    player = Player()
    dispatch(NOW, player.send)
    for bot in (rita, tess):
        connect(bot, "two", NOW)  # while the host plays other blocks
    hers = Block.objects.filter(matches__seats__version__spec__in=["rita", "one"]).distinct()
    assert {block.purpose for block in hers} == {Purpose.LADDER}  # and no longer to qualify
    referee = partial(pytest.fail, "its referee was asked")
    for _, block, latest in player.orders:
        if hers.filter(pk=block).exists():
            assert not execution.play(block, latest, lambda: NOW, referee)
    assert hers.exists()
    assert not hers.exclude(state=BlockState.WAITING, attempt=0, host=None).exists()


@pytest.mark.statistical
@on_sqlite
@alone
def test_ladders_share_the_machine_by_weight() -> None:
    house_ladder("light", weight=1.0)
    house_ladder("heavy", weight=3.0)
    some_host(workers=4)
    rounds(Player(), 16)
    played = Counter(
        Block.objects.filter(state=BlockState.RECORDED).values_list("ladder__slug", flat=True)
    )
    assert played["heavy"] / played["light"] == pytest.approx(3, rel=0.15)


@alone
def test_qualification_comes_first_with_half_at_most() -> None:
    house_ladder()
    versions = (house_version("greedy", NOW), house_version("random", NOW))
    for _ in range(40):
        table = Table(versions, "practice", Purpose.QUALIFICATION, "qualification")
        book(table, SEED, NOW)
    some_host(workers=3)
    player = Player()
    schedule(NOW, tokens_of(1))
    dispatch(NOW, player.send)
    kinds = [Block.objects.get(pk=block).purpose for _, block, _ in player.orders]
    assert Counter(kinds) == {Purpose.QUALIFICATION: 2, Purpose.LADDER: 2}


@pytest.mark.statistical
@on_sqlite
@alone
def test_ladder_finds_the_best_bots_over_time() -> None:
    ladder = house_ladder()
    strengths = {f"bot-{number}": number * 1.2 for number in range(4)}
    for slug in strengths:
        newcomer(slug, ladder)
    some_host(workers=4)

    def strength(seat: Seat) -> float:
        return strengths.get(seat.version.bot.slug, 0.0)

    now = rounds(Player(strength=strength), 20)
    assert now > NOW
    publish(ladder, now, force=True)
    ranked = [row.bot_slug for row in table(ladder) if row.bot_slug in strengths]
    assert ranked == sorted(strengths, key=lambda slug: -strengths[slug])
    assert Block.objects.filter(state=BlockState.RECORDED, settled=None).count() == 0
    assert not Block.objects.filter(created__gt=NOW + timedelta(days=1)).exists()


@pytest.mark.usefixtures("committed")
def test_schedulers_and_dispatchers_at_once_never_overbook() -> None:
    house_ladder()
    some_host(workers=3)
    player = Player()

    def work(number: int) -> None:
        try:
            schedule(NOW, tokens_of(number))
            dispatch(NOW, player.send)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))
    assert len(player.orders) == len({block for _, block, _ in player.orders}) == 4
    assert waiting() == 4 + 3


@pytest.mark.usefixtures("committed")
def test_concurrent_scheduler_books_nothing_more() -> None:
    house_ladder()
    some_host(workers=2)
    with transaction.atomic():
        locked_turns(NOW)  # from now on there is a row that can be locked
    with transaction.atomic():
        alone = schedule(NOW, tokens_of(1))
        transaction.set_rollback(True)
    booked = []
    with meddling(12, lambda: booked.append(schedule(NOW, tokens_of(2)))):
        assert schedule(NOW, tokens_of(1)) == alone > 0
    assert not booked  # nothing was booked after waiting for the lock
    assert Block.objects.count() == alone


@alone
def test_a_ladder_of_anchors_plays_when_another_bot_enters():
    """The Elo of anchors is given, so they are opponents only."""
    ladder = house_ladder(anchors={"planner": 1500.0, "greedy": 725.0, "random": 140.0})
    some_host(workers=4)
    assert schedule(NOW, tokens_of(1)) == 0
    newcomer("ferry", ladder)
    assert schedule(NOW, tokens_of(2)) > 0
    for block in Block.objects.all():
        assert Seat.objects.filter(match__block=block, version__bot__slug="ferry").exists()
