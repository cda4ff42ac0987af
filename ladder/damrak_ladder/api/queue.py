"""API of the queue: running and waiting blocks."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema

from damrak_ladder.api import types
from damrak_ladder.api.access import everybody
from damrak_ladder.api.answers import set_public
from damrak_ladder.bots.models import Version
from damrak_ladder.message_codes.wording import english
from damrak_ladder.pipeline.queue import forecast

router = Router(tags=["queue"])


class QueuedVersion(Schema):
    """A version that plays."""

    bot: str
    version: int


class RunningShape(Schema):
    """A running block; times are in seconds."""

    block: int
    purpose: types.Purpose
    ladder: str | None
    versions: list[QueuedVersion]
    games: int
    seconds: float
    ends_in: float
    host: str | None


class WaitingShape(Schema):
    """A waiting block; `text` gives the reason, `position` 1 starts next."""

    block: int
    purpose: types.Purpose
    ladder: str | None
    versions: list[QueuedVersion]
    games: int
    position: int | None
    starts_in: float | None
    reason: str
    text: str


class QueueShape(Schema):
    """The current queue: the first entries of each list, and the total counts."""

    running: list[RunningShape]
    waiting: list[WaitingShape]
    running_count: int
    waiting_count: int
    hosts: int
    places: int
    shares: types.Shares


@router.get(
    "/queue",
    auth=everybody,
    response=QueueShape,
    operation_id="get_queue",
    summary="The queue",
)
def queue(request: HttpRequest, response: HttpResponse) -> QueueShape:
    """Return running and waiting blocks, with positions and estimated starts."""
    set_public(response, 3)
    now = forecast.queue(timezone.now())
    return QueueShape(
        running=[
            RunningShape(
                block=one.block.pk,
                purpose=one.block.purpose,
                ladder=None if one.block.ladder is None else one.block.ladder.slug,
                versions=_seated(one.versions),
                games=one.games,
                seconds=one.seconds,
                ends_in=one.ends_in,
                host=None if one.block.host is None else one.block.host.name,
            )
            for one in now.running
        ],
        waiting=[
            WaitingShape(
                block=one.block.pk,
                purpose=one.block.purpose,
                ladder=None if one.block.ladder is None else one.block.ladder.slug,
                versions=_seated(one.versions),
                games=one.games,
                position=one.position,
                starts_in=one.starts_in,
                reason=one.reason,
                text=english(one.message),
            )
            for one in now.waiting
        ],
        running_count=now.running_count,
        waiting_count=now.waiting_count,
        hosts=now.hosts,
        places=now.places,
        shares=now.shares,
    )


def _seated(versions: tuple[Version, ...]) -> list[QueuedVersion]:
    return [QueuedVersion(bot=version.bot.slug, version=version.number) for version in versions]
