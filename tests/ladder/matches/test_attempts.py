"""An attempt is started once, continues while its lease is renewed, and its results count once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from damrak_ladder.matches import attempts
from damrak_ladder.matches.attempts import (
    Trouble,
    due,
    end_former,
    give_up,
    hand_back,
    reap,
    renew,
    requeue,
    start,
)
from damrak_ladder.matches.errors import BadReport, StaleReport
from damrak_ladder.matches.models import (
    Attempt,
    Blame,
    Block,
    BlockState,
    Fault,
    Outcome,
    SeatResult,
)
from damrak_ladder.matches.record import record
from damrak_ladder.message_codes.block_codes import ReportedVoid, WorkerSilent
from ladder.people import NOW
from ladder.tables import PATIENCE, check_counted_once, report_of, some_block, some_versions

pytestmark = pytest.mark.usefixtures("database")
SECOND = timedelta(seconds=1)
HOST_FAULT = Trouble(Blame.HOST, "sandbox", "no memory left")


def begun(block: Block, latest: int = 0) -> Block:
    running = start(block.pk, latest, "worker", NOW + latest * timedelta(hours=1), PATIENCE)
    assert running is not None
    return running


def test_block_is_started_once() -> None:
    block = some_block()
    assert due(NOW, 10) == [(block.pk, 0)]
    running = begun(block)
    assert (running.attempt, running.state) == (1, BlockState.RUNNING)
    assert start(block.pk, 0, "another", NOW, PATIENCE) is None
    assert start(block.pk, 1, "another", NOW, PATIENCE) is None
    assert due(NOW, 10) == []


def test_duplicate_of_an_old_message_is_dropped() -> None:
    block = some_block()
    begun(block)
    give_up(block.pk, 1, WorkerSilent(), [], NOW, PATIENCE)
    assert start(block.pk, 0, "another", NOW + PATIENCE.longest_wait, PATIENCE) is None


def test_report_is_recorded_once() -> None:
    block = begun(some_block())
    assert record(report_of(block, 1), NOW)
    assert not record(report_of(block, 1), NOW)
    block.refresh_from_db()
    check_counted_once(block)


def test_block_that_is_handed_back_is_as_if_it_had_not_been_tried() -> None:
    block = some_block()
    for latest in range(2 * PATIENCE.tries):
        now = NOW + latest * timedelta(hours=1)
        begun(block, latest)
        assert hand_back(block.pk, latest + 1, ReportedVoid("busy"), now, SECOND)
        assert not hand_back(block.pk, latest + 1, ReportedVoid("busy"), now, SECOND)
        block.refresh_from_db()
        assert (block.state, block.tries) == (BlockState.WAITING, 0)
        assert block.due == now + SECOND


def test_lease_that_is_renewed_does_not_expire() -> None:
    block = begun(some_block())
    for seconds in range(50, 500, 50):
        assert renew(block.pk, 1, NOW + seconds * SECOND, PATIENCE)
        assert reap(NOW + (seconds + 60) * SECOND, PATIENCE) == 0
    assert reap(NOW + 511 * SECOND, PATIENCE) == 1
    assert not renew(block.pk, 1, NOW + 511 * SECOND, PATIENCE)


def test_lease_that_is_renewed_at_the_last_moment_does_not_expire(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    block, late, end = begun(some_block()), NOW + 61 * SECOND, attempts._end

    def renewed_and_ended(block_id: int, attempt: int, *how: Any) -> bool:
        assert renew(block_id, attempt, late, PATIENCE)  # between the check and the update
        return end(block_id, attempt, *how)

    monkeypatch.setattr(attempts, "_end", renewed_and_ended)
    assert reap(late, PATIENCE) == 0
    block.refresh_from_db()
    assert block.state == BlockState.RUNNING


def test_new_worker_ends_what_the_one_before_it_had_begun_and_nothing_else() -> None:
    versions = some_versions()
    former, own, other = (some_block(versions).pk for _ in range(3))
    later = NOW + timedelta(seconds=1)
    start(former, 0, "north:17", NOW, PATIENCE)
    start(own, 0, "north:18", later, PATIENCE)
    start(other, 0, "northwest:17", NOW, PATIENCE)
    for ended in (1, 0):
        assert end_former("north", later, later, PATIENCE) == ended
    assert Block.objects.get(pk=former).state == BlockState.WAITING
    assert Attempt.objects.get(block=former).outcome == Outcome.EXPIRED
    running = Block.objects.filter(state=BlockState.RUNNING)
    assert set(running.values_list("pk", flat=True)) == {own, other}


def test_late_report_counts_while_the_attempt_is_open() -> None:
    block = begun(some_block())
    assert record(report_of(block, 1), NOW + timedelta(days=1))
    assert reap(NOW + timedelta(days=2), PATIENCE) == 0


def test_report_of_a_lost_attempt_does_not_count() -> None:
    block = begun(some_block())
    reap(NOW + 61 * SECOND, PATIENCE)
    with pytest.raises(StaleReport):
        record(report_of(block, 1), NOW + 62 * SECOND)
    begun(block, 1)
    with pytest.raises(StaleReport):
        record(report_of(block, 1), NOW + 63 * SECOND)
    assert not SeatResult.objects.exists()
    record(report_of(block, 2), NOW + 63 * SECOND)
    with pytest.raises(StaleReport):
        record(report_of(block, 1), NOW + 64 * SECOND)
    block.refresh_from_db()
    check_counted_once(block)


def test_host_fault_voids_the_attempt_and_is_kept() -> None:
    block = begun(some_block())
    faults = [replace(HOST_FAULT, match=1, seat=0), HOST_FAULT]
    assert give_up(block.pk, 1, ReportedVoid("no memory left"), faults, NOW, PATIENCE)
    assert not give_up(block.pk, 1, ReportedVoid("no memory left"), faults, NOW, PATIENCE)
    block.refresh_from_db()
    assert (block.state, block.trouble) == (BlockState.WAITING, ReportedVoid("no memory left"))
    assert not SeatResult.objects.exists()
    rows = Fault.objects.order_by("pk").values_list("match__number", "seat__number", "owner")
    assert list(rows) == [(1, 0, Blame.HOST), (None, None, Blame.HOST)]


def test_failing_block_backs_off_and_is_finally_dead() -> None:
    block, now, waits = some_block(), NOW, []
    for latest in range(PATIENCE.tries):
        running = start(block.pk, latest, "worker", now, PATIENCE)
        assert running is not None
        give_up(block.pk, running.attempt, ReportedVoid("broken"), [], now, PATIENCE)
        block.refresh_from_db()
        waits.append((block.due - now) / SECOND)
        assert start(block.pk, latest + 1, "worker", now, PATIENCE) is None
        now = block.due
    assert waits == [1, 2, 4]
    assert (block.state, block.trouble) == (BlockState.DEAD, ReportedVoid("broken"))
    assert due(now + timedelta(days=1), 10) == []


def test_dead_block_is_queued_again_as_if_new() -> None:
    block = some_block()
    assert not requeue(block.pk, NOW)
    for latest in range(PATIENCE.tries):
        begun(block, latest)
        give_up(block.pk, latest + 1, ReportedVoid("broken"), [], NOW, PATIENCE)
    later = NOW + timedelta(days=1)
    assert requeue(block.pk, later)
    assert not requeue(block.pk, later)
    assert due(later, 10) == [(block.pk, 3)]
    running = start(block.pk, 3, "worker", later, PATIENCE)
    assert running is not None
    assert (running.attempt, running.tries) == (4, 1)
    record(report_of(block, 4), later)
    block.refresh_from_db()
    check_counted_once(block)


@pytest.mark.parametrize("tries", [1, 5, 50, 5000])
def test_rest_has_a_limit(tries: int) -> None:
    assert SECOND <= PATIENCE.wait_after(tries) <= PATIENCE.longest_wait


def test_report_about_other_matches_changes_nothing() -> None:
    block = begun(some_block())
    good = report_of(block, 1)
    fewer_seats = replace(good.matches[0], seats=good.matches[0].seats[:1])
    for bad in [
        replace(good, matches=good.matches[:1]),
        replace(good, matches=(*good.matches, good.matches[0])),
        replace(good, matches=(good.matches[0], fewer_seats)),
        replace(good, faults=(replace(HOST_FAULT, match=2),)),
        replace(good, faults=(replace(HOST_FAULT, match=0, seat=2),)),
    ]:
        with pytest.raises(BadReport):
            record(bad, NOW)
    assert not SeatResult.objects.exists()
    assert renew(block.pk, 1, NOW, PATIENCE)
    assert record(good, NOW)
