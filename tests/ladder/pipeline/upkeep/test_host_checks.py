"""A host that deviates is quarantined, and its blocks are played again."""

from __future__ import annotations

import random
from datetime import timedelta
from functools import partial

import pytest
from django.conf import settings

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Kind, State, Version
from damrak_ladder.bots.submission import Submission, register
from damrak_ladder.matches import hosts
from damrak_ladder.matches.attempts import start
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.entries import seat_house
from damrak_ladder.matches.errors import StaleReport
from damrak_ladder.matches.logs import MatchSaid, keep_timings
from damrak_ladder.matches.models import (
    Attempt,
    Block,
    BlockState,
    Host,
    HostState,
    Ladder,
    MatchTimings,
    Outcome,
    Purpose,
    SeatResult,
)
from damrak_ladder.matches.record import record
from damrak_ladder.matches.timings import Timings, timings_of
from damrak_ladder.matches.withdrawal import withdraw
from damrak_ladder.message_codes.block_codes import (
    HostSlow,
    OperatorReason,
    ReportedVoid,
    WorkerSilent,
)
from damrak_ladder.notices.models import Notice
from damrak_ladder.pipeline.attempt import execution
from damrak_ladder.pipeline.outcome.qualification import begin
from damrak_ladder.pipeline.outcome.settlement import settle, unsettle
from damrak_ladder.pipeline.upkeep.host_checks import check_hosts, follow_up
from damrak_ladder.standings.models import Counted, Tally
from ladder import flow
from ladder.bot_versions import some_bot
from ladder.interruptions import is_dead_after
from ladder.ladders import some_ladder
from ladder.people import NOW, somebody
from ladder.tables import PATIENCE, SEED, check_counted_once, report_of, some_versions

LIES = OperatorReason("it lies")
LATER = NOW + timedelta(hours=1)
AFTERWARDS = (LATER + timedelta(hours=1)).isoformat()
BLOCKS = 44
HONEST = 16


def some_host(name: str) -> Host:
    """Return a connected host."""
    return Host.objects.create(name=name, first_seen=NOW, last_seen=LATER)


def on_ladder(ladder: Ladder, versions: tuple[Version, ...]) -> Block:
    """Return a waiting block of the ladder."""
    table = Table(versions, "practice", Purpose.LADDER, "ladder:practice", ladder)
    return book(table, SEED, NOW)


def play(block: Block, host: Host | None = None, pace_us: float = 1000.0) -> Block:
    """Record and settle a block, with decisions of about this duration."""
    begun = start(block.pk, block.attempt, "worker", LATER, PATIENCE, host and host.pk)
    assert begun is not None
    assert record(report_of(begun, begun.attempt), LATER)
    rng = random.Random(Block.objects.filter(pk__lt=block.pk).count())  # keys differ between runs
    took = tuple(int(pace_us * rng.lognormvariate(0, 0.3)) for _ in range(6))
    zeros = (0,) * 6
    said = MatchSaid(timings=Timings((0, 1, 0, 1, 0, 1), took, zeros, zeros))
    keep_timings(block.pk, {match.number: said for match in block.matches.all()})
    assert settle(block.pk, LATER)
    return Block.objects.get(pk=block.pk)


@pytest.mark.usefixtures("database")
class TestWithdrawing:
    def test_results_go_and_the_block_waits(self) -> None:
        block = play(on_ladder(some_ladder(), some_versions()))
        assert Tally.objects.exists()
        assert withdraw(block.pk, 1, ReportedVoid("the host lies"), LATER, unsettle)
        block.refresh_from_db()
        assert (block.state, block.settled, block.host) == (BlockState.WAITING, None, None)
        assert not SeatResult.objects.exists()
        assert not MatchTimings.objects.exists()
        assert not block.matches.exclude(replay="").exists()
        assert not Counted.objects.exists()
        assert not Tally.objects.exclude(games=0).exists()
        attempt = Attempt.objects.get(block=block)
        assert attempt.outcome == Outcome.WITHDRAWN
        assert attempt.detail == ReportedVoid("the host lies")

    def test_block_counts_again_once_it_is_played_elsewhere(self) -> None:
        block = play(on_ladder(some_ladder(), some_versions()))
        report = report_of(block, 1)
        assert withdraw(block.pk, 1, WorkerSilent(), LATER, unsettle)
        with pytest.raises(StaleReport):
            record(report, LATER)
        block.refresh_from_db()
        check_counted_once(play(block))
        assert Counted.objects.count() == 1

    def test_it_happens_once(self) -> None:
        block = play(on_ladder(some_ladder(), some_versions()))
        assert withdraw(block.pk, 1, WorkerSilent(), LATER, unsettle)
        assert not withdraw(block.pk, 1, WorkerSilent(), LATER, unsettle)
        block.refresh_from_db()
        play(block)
        assert not withdraw(block.pk, 1, WorkerSilent(), LATER, unsettle)

    def test_block_without_consequences_is_not_undone(self) -> None:
        block = on_ladder(some_ladder(), some_versions())
        assert start(block.pk, 0, "worker", LATER, PATIENCE)
        assert record(report_of(block, 1), LATER)
        assert withdraw(block.pk, 1, WorkerSilent(), LATER, pytest.fail)


@pytest.mark.usefixtures("committed")
def test_crash_leaves_the_state_before_or_after() -> None:
    ladder, versions = some_ladder(), some_versions()
    after = 0
    while True:
        block = play(on_ladder(ladder, versions))
        act = lambda block=block: withdraw(block.pk, 1, WorkerSilent(), LATER, unsettle)  # noqa: E731
        if not is_dead_after(act, after):
            break
        block.refresh_from_db()
        if block.state == BlockState.RECORDED:
            check_counted_once(block)
            assert Counted.objects.filter(pk=block.pk).exists()
            assert act()
        assert not SeatResult.objects.filter(seat__match__block=block).exists()
        assert not Counted.objects.filter(pk=block.pk).exists()
        after += 1
    assert after >= 7


def make_staff() -> None:
    """Create a recipient of notices for staff."""
    sam = somebody("sam")
    User.objects.filter(pk=sam.pk).update(is_staff=True)


@pytest.mark.usefixtures("database")
def test_slow_host_is_caught_and_its_blocks_are_played_again() -> None:
    make_staff()
    ladder, versions = some_ladder(), some_versions()
    swift, slow = some_host("swift"), some_host("slow")
    for number in range(BLOCKS):
        play(on_ladder(ladder, versions), swift)
        play(on_ladder(ladder, versions), slow, 1000.0 if number < HONEST else 4000.0)

    # Another host has to be available.
    Host.objects.filter(name="swift").update(last_seen=NOW)
    assert check_hosts(LATER) == []
    assert not Host.objects.exclude(state=HostState.TRUSTED).exists()
    Host.objects.filter(name="swift").update(last_seen=LATER)

    # Earlier forgiveness by an organiser no longer applies.
    assert hosts.quarantine(slow.pk, OperatorReason("it is slow"), {})
    assert hosts.trust(slow.pk, LATER)
    assert check_hosts(LATER) == []
    Host.objects.filter(pk=slow.pk).update(evidence={})

    assert check_hosts(LATER) == [slow]
    slow.refresh_from_db()
    assert slow.state == HostState.QUARANTINED
    assert isinstance(slow.reason, HostSlow)
    assert slow.evidence["question"] == "slowness"
    again = Block.objects.filter(state=BlockState.WAITING)
    assert BLOCKS - HONEST <= again.count() <= BLOCKS - HONEST // 2
    assert not again.exclude(host=None).exists()
    assert Counted.objects.count() == 2 * BLOCKS - again.count()
    assert "slow" in Notice.objects.get(user__username="sam").subject

    # A second check changes nothing.
    waiting = again.count()
    assert check_hosts(LATER) == []
    assert again.count() == waiting
    assert Notice.objects.count() == 1

    # An organiser may lift it; earlier results are then ignored.
    assert hosts.trust(slow.pk, LATER)
    assert not hosts.trust(slow.pk, LATER)
    assert check_hosts(LATER) == []
    slow.refresh_from_db()
    assert (slow.state, slow.reason) == (HostState.TRUSTED, None)


@pytest.mark.usefixtures("database")
def test_unfinished_work_is_done_by_the_next() -> None:
    make_staff()
    ladder, versions, host = some_ladder(), some_versions(), some_host("liar")
    blocks = [play(on_ladder(ladder, versions), host) for _ in range(3)]
    evidence = {"doubtful": [block.pk for block in blocks[1:]], "at": AFTERWARDS}
    assert hosts.quarantine(host.pk, OperatorReason("it lies"), evidence)
    assert not hosts.quarantine(host.pk, OperatorReason("it lies"), evidence)
    assert follow_up(LATER) == 2
    assert follow_up(LATER) == 0
    assert Notice.objects.count() == 1
    assert [block.pk for block in Block.objects.filter(state=BlockState.RECORDED)] == [blocks[0].pk]


@pytest.mark.usefixtures("database")
def test_running_blocks_of_a_quarantined_host_do_not_count() -> None:
    ladder, versions, host = some_ladder(), some_versions(), some_host("liar")
    before, meanwhile = (on_ladder(ladder, versions) for _ in range(2))
    play(before, host)
    begun = start(meanwhile.pk, 0, "worker", LATER, PATIENCE, host.pk)
    assert begun is not None
    since = (LATER + timedelta(seconds=1)).isoformat()
    assert hosts.quarantine(host.pk, OperatorReason("it lies"), {hosts.SINCE: since})
    late = LATER + timedelta(minutes=1)
    assert record(report_of(begun, 1), late)
    assert follow_up(late) == 1
    before.refresh_from_db()
    meanwhile.refresh_from_db()
    assert before.state == BlockState.RECORDED
    assert (meanwhile.state, meanwhile.host) == (BlockState.WAITING, None)


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("purpose", [Purpose.QUALIFICATION, Purpose.CANARY, Purpose.TEST])
def test_blocks_of_every_kind_are_played_again_elsewhere(purpose: Purpose) -> None:
    make_staff()
    ladder, versions, host = some_ladder(), some_versions(), some_host("liar")
    table = Table(versions, "practice", purpose, "somebody", ladder, subject=versions[0])
    block = play(book(table, SEED, NOW), host)
    assert hosts.quarantine(
        host.pk, OperatorReason("it lies"), {"doubtful": [block.pk], "at": AFTERWARDS}
    )
    assert follow_up(LATER) == 1
    block.refresh_from_db()
    assert (block.state, block.settled, block.host) == (BlockState.WAITING, None, None)
    assert Attempt.objects.get(block=block).outcome == Outcome.WITHDRAWN
    check_counted_once(play(block, some_host("honest")))


@pytest.mark.usefixtures("database")
def test_version_that_failed_on_a_host_in_quarantine_qualifies_elsewhere() -> None:
    make_staff()
    seat_house(some_ladder(house=["random", "greedy"]), NOW)
    host = flow.some_host("liar")
    version = register(some_bot(), Submission(Kind.UPLOADED, spec="one"), NOW)
    begin(version, NOW)
    late = flow.rounds(flow.Player(breaks=lambda seat: "timeout" * (seat.version == version)), 1)
    block = Block.objects.get(subject=version)
    assert Version.objects.get(pk=version.pk).state == State.FAILED
    assert hosts.quarantine(
        host.pk, OperatorReason("it lies"), {"doubtful": [block.pk], "at": AFTERWARDS}
    )
    assert follow_up(late) == 1
    assert Version.objects.get(pk=version.pk).state == State.QUALIFYING
    flow.some_host("honest")
    flow.rounds(flow.Player(), 1, late)
    assert Version.objects.get(pk=version.pk).state == State.QUALIFIED
    block.refresh_from_db()
    assert block.host is not None
    assert block.host.name == "honest"


@pytest.mark.usefixtures("database")
def test_timings_come_back_as_they_were_kept() -> None:
    block = on_ladder(some_ladder(), some_versions())
    kept = Timings((0, 1), (5, 1 << 40), (4, 0), (0, 7))
    keep_timings(block.pk, {0: MatchSaid(timings=kept)})
    first, second = block.matches.order_by("number")
    assert timings_of(first.pk) == kept
    assert timings_of(second.pk) is None
    assert kept.of_seat(1) == Timings((1,), (1 << 40,), (0,), (7,))


@pytest.mark.usefixtures("database")
def test_a_host_in_quarantine_starts_none_of_its_orders() -> None:
    host = some_host(settings.DAMRAK_HOST)
    block = on_ladder(some_ladder(), some_versions())
    Block.objects.update(host=host, sent=NOW)
    assert hosts.quarantine(host.pk, OperatorReason("slow"), {})
    Block.objects.update(host=host, sent=NOW)  # the message was already under way
    referee = partial(pytest.fail, "its referee was asked")
    assert not execution.play(block.pk, 0, lambda: NOW, referee)
    block.refresh_from_db()
    assert (block.state, block.attempt, block.host) == (BlockState.WAITING, 0, None)
    assert not block.attempts.exists()
