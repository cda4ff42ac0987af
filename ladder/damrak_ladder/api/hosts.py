"""API of hosts."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema

from damrak_ladder.api import types
from damrak_ladder.api.access import everybody
from damrak_ladder.api.answers import set_public
from damrak_ladder.matches.hosts import described
from damrak_ladder.matches.models import Host

router = Router(tags=["queue"])


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
    shown = HostShape.model_fields
    rows = [described(host, now) for host in Host.objects.order_by("name")]
    return [HostShape(**{name: row[name] for name in shown}) for row in rows]
