"""Celery tasks of clerks, each of which calls one function."""

from __future__ import annotations

from datetime import UTC, datetime

from django.conf import settings

from damrak_ladder.installation.brokers import leave_pulse
from damrak_ladder.matches.boards import prepare_boards
from damrak_ladder.matches.models import Block
from damrak_ladder.notices.delivering import deliver
from damrak_ladder.pipeline import (
    dispatching,
    forgetting,
    inspecting,
    places,
    publishing,
    reaping,
    scheduling,
    settling,
)
from damrak_ladder.pipeline.celery import app
from damrak_ladder.pipeline.sending import send_play


def _now() -> datetime:
    return datetime.now(UTC)


@app.task(name="settle")
def settle(block_id: int) -> None:
    """Settle a recorded block, and schedule more if its host runs low."""
    settling.settle(block_id, _now())
    if places.runs_low(Block.objects.values_list("host_id", flat=True).get(pk=block_id)):
        schedule()


@app.task(name="settle_leftovers")
def settle_leftovers() -> None:
    """Settle blocks that are still unsettled."""
    settling.settle_leftovers(_now())


@app.task(name="schedule")
def schedule() -> None:
    """Book the next blocks, and dispatch as many as the hosts have room for."""
    scheduling.schedule(_now())
    dispatching.dispatch(_now(), send_play)


@app.task(name="check_hosts")
def check_hosts() -> None:
    """Check whether any host deviates from the others."""
    from damrak_ladder.pipeline import hosts  # slow to import, because of its statistics

    hosts.check_hosts(_now())


@app.task(name="reap")
def reap() -> None:
    """Expire attempts whose lease has run out."""
    reaping.reap(_now())


@app.task(name="publish_ladders")
def publish_ladders() -> None:
    """Publish the ratings of ladders that have changed enough."""
    publishing.publish_ladders(_now())


@app.task(name="deliver_notices")
def deliver_notices() -> None:
    """Send mails and webhooks that are due."""
    deliver(_now())


@app.task(name="new_day")
def new_day() -> None:
    """Create the boards of the day."""
    prepare_boards(_now())


@app.task(name="forget")
def forget() -> None:
    """Delete data whose retention period is over."""
    forgetting.forget(_now())


@app.task(name="inspect_replays")
def inspect_replays() -> None:
    """Verify a sample of the stored replays."""
    inspecting.inspect_replays(_now())


@app.task(name="pulse")
def pulse() -> None:
    """Record that beat and a clerk are alive."""
    leave_pulse(settings.DAMRAK_BROKER, "clerk")
