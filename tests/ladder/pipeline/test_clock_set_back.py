"""A clock that is set back by an hour does not cause delays of an hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery import Celery

from damrak_ladder.matches.attempts import reap, set_right, start
from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.pipeline.celery.beat import Beat
from damrak_ladder.pipeline.queue.dispatch import dispatch
from damrak_ladder.pipeline.upkeep.expiry import reap as reap_all
from ladder.flow import Player, some_host
from ladder.people import NOW
from ladder.tables import PATIENCE, some_block

HOUR = timedelta(hours=1)
BACK = NOW - HOUR
SOON = timedelta(seconds=30)


class Recorder(Beat):
    """Records the messages that it would have sent."""

    sent: list[str]

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        self.sent.append(entry.name)


def test_beat_goes_on() -> None:
    clock = [datetime(2030, 1, 1, 12, tzinfo=UTC)]
    app = Celery("clock", set_as_current=False, broker="memory://")
    app.now = lambda: clock[0]
    every = {name: {"task": name, "schedule": timedelta(seconds=2)} for name in ("a", "b", "c")}
    beat = Recorder(app, schedule=None)
    beat.sent = []
    beat.update_from_dict(every)

    def go_on(seconds: float) -> list[str]:
        beat.sent.clear()
        end = clock[0] + timedelta(seconds=seconds)
        while clock[0] < end:
            clock[0] += timedelta(seconds=max(beat.tick(), 0.1))
        return sorted(beat.sent)

    usual = go_on(20)
    assert set(usual) == {"a", "b", "c"}
    clock[0] -= HOUR
    assert abs(len(go_on(20)) - len(usual)) <= 3
    assert set(beat.sent) == {"a", "b", "c"}


def test_beat_reports_an_unavailable_broker_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    app = Celery("away", set_as_current=False, broker="redis://127.0.0.1:1/0")
    app.conf.update(broker_transport_options={"max_retries": 0}, task_publish_retry=False)
    beat = Beat(app, schedule=None)
    beat.update_from_dict({"pulse": {"task": "pulse", "schedule": timedelta(seconds=5)}})
    beat.apply_entry(beat.schedule["pulse"])
    (told,) = caplog.records
    assert (told.getMessage(), told.task, told.exc_info) == ("message_not_sent", "pulse", None)


@pytest.mark.usefixtures("database")
def test_blocks_that_wait_are_played() -> None:
    block = some_block()
    some_host(now=BACK)
    player = Player()
    assert not dispatch(BACK, player.send)  # it is due in an hour
    reap_all(BACK)
    assert dispatch(BACK, player.send)
    assert player.orders == [("alpha", block.pk, 0)]


@pytest.mark.usefixtures("database")
def test_rests_are_kept() -> None:
    block = some_block()
    Block.objects.update(due=NOW + PATIENCE.longest_wait)
    assert set_right(NOW, PATIENCE) == 0
    block.refresh_from_db()
    assert block.due == NOW + PATIENCE.longest_wait


@pytest.mark.usefixtures("database")
def test_an_attempt_of_a_crashed_worker_is_ended() -> None:
    block = some_block()
    assert start(block.pk, 0, "worker", NOW, PATIENCE)
    set_right(BACK, PATIENCE)
    assert reap(BACK, PATIENCE) == 0  # it may still be running
    assert reap(BACK + PATIENCE.lease + SOON, PATIENCE) == 1
    block.refresh_from_db()
    assert block.state == BlockState.WAITING
    assert block.due < BACK + HOUR / 2


@pytest.mark.usefixtures("database")
def test_possibly_lost_orders_are_sent_again() -> None:
    block, player = some_block(now=BACK), Player()
    host = some_host(now=NOW)
    assert dispatch(NOW, player.send) == 1
    host.last_seen = BACK
    host.save()
    Block.objects.filter(pk=block.pk).update(due=BACK)
    assert dispatch(BACK, player.send) == 1
    assert player.orders == [(host.name, block.pk, 0)] * 2
