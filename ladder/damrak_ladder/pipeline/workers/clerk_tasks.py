"""Celery tasks of clerks, each of which calls one function."""

from __future__ import annotations

from datetime import UTC, datetime

from django.conf import settings

from damrak_ladder.follows import news
from damrak_ladder.highlights import analysed, collection
from damrak_ladder.installation.brokers import leave_pulse
from damrak_ladder.matches.boards import prepare_boards
from damrak_ladder.matches.models import Block
from damrak_ladder.notices.delivery import deliver
from damrak_ladder.pipeline.celery.app import PLAY_SECONDS, app
from damrak_ladder.pipeline.celery.messages import send_play
from damrak_ladder.pipeline.outcome import settlement
from damrak_ladder.pipeline.queue import capacity, dispatch, scheduler
from damrak_ladder.pipeline.upkeep import expiry, replay_checks, retention
from damrak_ladder.predictions import announcements, scoring
from damrak_ladder.standings.fit import publication
from damrak_ladder.tournaments import duties as duties_of_tournaments
from damrak_ladder.webhooks.dispatch import post_due
from damrak_ladder.webhooks.fan_out import fan_out


def _now() -> datetime:
    return datetime.now(UTC)


@app.task(name="settle")
def settle(block_id: int) -> None:
    """Settle a recorded block, and schedule more if its host runs low."""
    settlement.settle(block_id, _now())
    duties_of_tournaments.advance_after(block_id, _now())
    if capacity.runs_low(Block.objects.values_list("host_id", flat=True).get(pk=block_id)):
        schedule()


@app.task(name="settle_leftovers")
def settle_leftovers() -> None:
    """Settle blocks that are still unsettled."""
    settlement.settle_leftovers(_now())


@app.task(name="schedule")
def schedule() -> None:
    """Book the next blocks, and dispatch as many as the hosts have room for."""
    scheduler.schedule(_now())
    dispatch.dispatch(_now(), send_play)


@app.task(name="run_tournaments")
def run_tournaments() -> None:
    """Pair rounds, follow schedules and notice absences of remote bots."""
    there = capacity.places(_now())
    duties_of_tournaments.run_duties(_now(), capacity.present(there) if there else None)


@app.task(name="check_hosts")
def check_hosts() -> None:
    """Check whether any host deviates from the others."""
    from damrak_ladder.pipeline.upkeep import host_checks

    host_checks.check_hosts(_now())


@app.task(name="reap")
def reap() -> None:
    """Expire attempts whose lease has run out."""
    expiry.reap(_now())


@app.task(name="publish_ladders")
def publish_ladders() -> None:
    """Publish the ratings of ladders that have changed enough."""
    publication.publish_ladders(_now())


@app.task(name="deliver_notices")
def deliver_notices() -> None:
    """Send mails and webhooks that are due."""
    deliver(_now())


@app.task(name="tell_followers")
def tell_followers() -> None:
    """Tell followers what is new."""
    news.tell_followers(_now())


@app.task(name="collect_highlights")
def collect_highlights() -> None:
    """Find the stories of new blocks and of new analyses."""
    collection.collect()
    analysed.collect_notable()


@app.task(name="announce_games")
def announce_games() -> None:
    """Postpone a waiting block so that people can predict the winners of its games."""
    announcements.announce(_now())


@app.task(name="score_predictions")
def score_predictions() -> None:
    """Score the predictions of matches whose results are public."""
    scoring.score_predictions()


@app.task(name="post_events")
def post_events() -> None:
    """Create the deliveries of new events, and post those that are due."""
    fan_out(_now())
    post_due(_now())


@app.task(name="new_day")
def new_day() -> None:
    """Create the boards of the day."""
    prepare_boards(_now())


@app.task(name="forget")
def forget() -> None:
    """Delete data whose retention period is over."""
    retention.forget(_now())


@app.task(name="dump", time_limit=PLAY_SECONDS)
def dump() -> None:
    """Write the dump of open data; the next night continues if the time is not sufficient."""
    from damrak_ladder.open_data.dump import dump_tonight  # loads pyarrow, which is large

    dump_tonight()


@app.task(name="inspect_replays")
def inspect_replays() -> None:
    """Verify a sample of the stored replays."""
    replay_checks.inspect_replays(_now())


@app.task(name="pulse")
def pulse() -> None:
    """Record that beat and a clerk are alive."""
    leave_pulse(settings.DAMRAK_BROKER, "clerk")
