"""API of hosts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema

from damrak_ladder.accounts.models import Role
from damrak_ladder.accounts.roles import may_act_as
from damrak_ladder.api import types
from damrak_ladder.api.access import everybody, everybody_by_name
from damrak_ladder.api.answers import set_public
from damrak_ladder.api.tournaments.viewers import set_cached, viewer_of
from damrak_ladder.matches.hosts import described
from damrak_ladder.matches.models import BlockState, Host
from damrak_ladder.message_codes.wording import english
from damrak_ladder.profiles.activity import (
    Shares,
    blocks_by_hour,
    failures,
    games_since,
    shares_of_hosts,
    unrecorded_blocks,
)

router = Router(tags=["queue"])


class TimeShares(Schema):
    """How the time of decisions in the latest games divides, in shares of 1."""

    thinking: float
    transport: float
    queue: float
    """The time in the referee."""
    decisions: int


class FailedAttempt(Schema):
    """An attempt at a block that was not recorded; `detail` is for organisers only."""

    block: int
    host: str | None
    outcome: str
    ended: datetime | None
    detail: str | None


class StatusShape(Schema):
    """The state of the platform: games, blocks that are not recorded, and recent failures."""

    games_last_hour: int
    running: int
    waiting: int
    dead: int
    time: TimeShares | None
    failures: list[FailedAttempt]


class HostShape(Schema):
    """A host. `state` is whether it is trusted, `status` what it can do now.

    The status is `ready`, `closed` (its worker takes no blocks), `quarantined`, or `silent`: there
    was no recent heartbeat, so `running` is null because it is unknown.
    """

    name: str
    state: types.HostState
    status: types.HostStatus
    last_seen: datetime
    silent_s: int
    running: int | None
    capacity: int
    isolation: str
    software: str
    games_last_hour: int
    blocks_by_hour: list[int]
    """Blocks recorded in each of the last 24 hours, the latest last."""
    time: TimeShares | None


@router.get(
    "/hosts",
    auth=everybody,
    response=list[HostShape],
    operation_id="list_hosts",
    summary="Hosts that play matches",
)
def hosts(request: HttpRequest, response: HttpResponse) -> list[HostShape]:
    """List all hosts by name."""
    set_public(response, 3)
    now = timezone.now()
    plain = set(HostShape.model_fields)
    return [
        HostShape(**{name: value for name, value in row.items() if name in plain})
        for row in described_with_activity(list(Host.objects.order_by("name")), now)
    ]


def described_with_activity(hosts: Sequence[Host], now: datetime) -> list[dict[str, Any]]:
    """Return hosts with their software and their recent activity."""
    games, hours = games_since(now - timedelta(hours=1)), blocks_by_hour(hosts, now)
    shares = shares_of_hosts()
    return [
        described(host, now)
        | {
            "software": host.software,
            "games_last_hour": games.get(host.pk, 0),
            "blocks_by_hour": hours[host.pk],
            "time": _shares(shares.get(host.pk)),
        }
        for host in hosts
    ]


@router.get(
    "/status",
    auth=everybody_by_name,
    response=StatusShape,
    operation_id="get_status",
    summary="The state of the platform",
)
def get_status(request: HttpRequest, response: HttpResponse) -> StatusShape:
    """Return what runs and waits, where the time goes, and the latest failed attempts."""
    viewer = viewer_of(request)
    set_cached(request, response, 3)
    is_trusted = viewer is not None and may_act_as(viewer, Role.ORGANISER)
    counts = unrecorded_blocks()
    return StatusShape(
        games_last_hour=sum(games_since(timezone.now() - timedelta(hours=1)).values()),
        running=counts.get(BlockState.RUNNING, 0),
        waiting=counts.get(BlockState.WAITING, 0),
        dead=counts.get(BlockState.DEAD, 0),
        time=_shares(shares_of_hosts().get(0)),
        failures=[
            FailedAttempt(
                block=one.block_id,
                host=None if one.host is None else one.host.name,
                outcome=one.outcome,
                ended=one.ended,
                detail=english(one.detail) if is_trusted else None,
            )
            for one in failures()
        ],
    )


def _shares(found: Shares | None) -> TimeShares | None:
    return None if found is None else TimeShares.from_orm(found)
