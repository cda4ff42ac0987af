"""The tasks of clerks: each one line into a function, which is where to look."""

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
    """Do what follows from a block that was recorded, and see that its host has enough to play."""
    settling.settle(block_id, _now())
    if places.runs_low(Block.objects.values_list("host_id", flat=True).get(pk=block_id)):
        schedule()


@app.task(name="settle_leftovers")
def settle_leftovers() -> None:
    """Settle what nobody has settled."""
    settling.settle_leftovers(_now())


@app.task(name="schedule")
def schedule() -> None:
    """Book what is to be played next, and give hosts what they have room for."""
    scheduling.schedule(_now())
    dispatching.dispatch(_now(), send_play)


@app.task(name="check_hosts")
def check_hosts() -> None:
    """See whether all hosts play alike."""
    from damrak_ladder.pipeline import hosts  # its statistics take a second to load

    hosts.check_hosts(_now())


@app.task(name="reap")
def reap() -> None:
    """End attempts whose worker has fallen silent."""
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
    """Make the boards of the day."""
    prepare_boards(_now())


@app.task(name="forget")
def forget() -> None:
    """Delete what has been kept for long enough."""
    forgetting.forget(_now())


@app.task(name="inspect_replays")
def inspect_replays() -> None:
    """Verify some of the replays that are stored."""
    inspecting.inspect_replays(_now())


@app.task(name="pulse")
def pulse() -> None:
    """Show that beat and a clerk are alive."""
    leave_pulse(settings.DAMRAK_BROKER, "clerk")
