"""API for organisers and staff: dead blocks, hosts, users, and the security log."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final

from allauth.mfa.models import Authenticator
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Query, Router, Schema
from typing_extensions import TypeAliasType

from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import has_role, may_act_as
from damrak_ladder.accounts.second_factor import lacks_second_factor
from damrak_ladder.api import filter_types, types
from damrak_ladder.api.access import ORGANISE, caller, refuse, second_factor_needed
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.filter_types import STORABLE, Moment
from damrak_ladder.api.hosts import HostShape, described_with_activity
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.lists.cursors import LONGEST, cursor_at, fingerprint, key_at
from damrak_ladder.api.pagination import link_to_next
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.matches.attempts import requeue
from damrak_ladder.matches.hosts import trust
from damrak_ladder.matches.models import Host, HostState
from damrak_ladder.security.queries import entries
from damrak_ladder.tournaments.visibility import visible_blocks

MOST_USERS: Final = 50

Evidence = TypeAliasType("Evidence", dict[str, Any])
EventDetail = TypeAliasType("EventDetail", dict[str, Any])
Text = Annotated[str, Field(max_length=150, pattern=STORABLE)]

router = Router(tags=["organisers"])


class HostInFull(HostShape):
    """A host with the reason of its quarantine, and the evidence."""

    reason: str
    lobby: str
    evidence: Evidence


class Requeued(Schema):
    """A block that waits again."""

    block: int


class UserShape(Schema):
    """A user with a role."""

    username: str
    role: types.Role
    is_active: bool
    has_second_factor: bool


class EventShape(Schema):
    """An entry of the security log; `times` equal events within a few minutes are one entry."""

    id: int
    at: datetime
    kind: types.SecurityEvent
    user: str
    address: str
    detail: EventDetail
    times: int


class EventPage(Schema):
    """Entries of the security log, newest first."""

    items: list[EventShape]
    next_cursor: str | None


class EventFilter(Schema):
    """Filters of the security log."""

    kind: filter_types.SecurityEvent | None = None
    user: Text = ""
    address: Annotated[str, Field(max_length=60, pattern=STORABLE)] = ""
    since: Moment | None = None
    until: Moment | None = None
    cursor: Annotated[str, Field(max_length=LONGEST)] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50


def check_role(request: HttpRequest, role: Role) -> None:
    """Check that the caller has this role or a higher one, and may use it.

    Raises:
        Problem
    """
    user = caller(request)
    if has_role(user, role) and lacks_second_factor(user):
        raise second_factor_needed()
    if not may_act_as(user, role):
        refuse(user, f"the API for {role}")
        detail = f"this requires the role {role}, and {user.username} is {user.role}"
        raise Problem(403, "role-missing", detail, "ask the operators of this site")


@router.post(
    "/blocks/{int:block_id}/requeue",
    auth=ORGANISE,
    response=Requeued,
    operation_id="requeue_block",
    summary="Queue a dead block again",
)
@refuses("role-missing", "second-factor-needed", "not-dead")
@idempotent(ORGANISE)
def requeue_block(request: HttpRequest, response: HttpResponse, block_id: int) -> Requeued:
    """Queue a block again that was given up, with a new count of tries."""
    set_private(response)
    check_role(request, Role.ORGANISER)
    if not visible_blocks(caller(request)).filter(pk=block_id).exists():
        raise not_found(f"block {block_id}", "GET /api/v1/blocks?state=dead lists dead blocks")
    if not requeue(block_id, timezone.now()):
        raise Problem(409, "not-dead", f"block {block_id} is not dead", "there is nothing to do")
    return Requeued(block=block_id)


@router.get(
    "/hosts/{str:name}",
    auth=ORGANISE,
    response=HostInFull,
    operation_id="get_host",
    summary="A host, for organisers",
)
@refuses("role-missing", "second-factor-needed")
def get_host(request: HttpRequest, response: HttpResponse, name: str) -> HostInFull:
    """Return a host with the reason and the evidence of its quarantine."""
    set_private(response)
    check_role(request, Role.ORGANISER)
    return _host(name)


@router.post(
    "/hosts/{str:name}/trust",
    auth=ORGANISE,
    response=HostInFull,
    operation_id="trust_host",
    summary="End the quarantine of a host",
)
@refuses("role-missing", "second-factor-needed", "not-quarantined")
@idempotent(ORGANISE)
def trust_host(request: HttpRequest, response: HttpResponse, name: str) -> HostInFull:
    """Let a quarantined host play again; its earlier record no longer counts against it."""
    set_private(response)
    check_role(request, Role.ORGANISER)
    _host(name)
    found = Host.objects.get(name=name)
    if found.state != HostState.QUARANTINED or not trust(found.pk, timezone.now()):
        detail = f"the host {name} is not in quarantine"
        raise Problem(409, "not-quarantined", detail, "there is nothing to do")
    return _host(name)


@router.get(
    "/users",
    auth=ORGANISE,
    response=list[UserShape],
    operation_id="list_users",
    summary="Organisers and staff, or users by name",
)
@refuses("role-missing", "second-factor-needed")
def list_users(request: HttpRequest, response: HttpResponse, q: Text = "") -> list[UserShape]:
    """List organisers and staff, or up to 50 users whose name begins with `q`; for staff."""
    set_private(response)
    check_role(request, Role.STAFF)
    # Accounts of the platform itself have no email address and are not used to sign in.
    found = User.objects.exclude(email="").order_by("username")
    found = found.filter(username__istartswith=q) if q else found.filter(is_organiser=True)
    factors = Authenticator.objects.filter(user=OuterRef("pk"))
    return [
        UserShape(
            username=one.username,
            role=str(one.role),
            is_active=one.is_active,
            has_second_factor=has_factor,
        )
        for one in found.annotate(has_factor=Exists(factors))[:MOST_USERS]
        for has_factor in [getattr(one, "has_factor")]  # noqa: B009 - an annotation
    ]


@router.get(
    "/security-log",
    auth=ORGANISE,
    response=EventPage,
    operation_id="list_security_events",
    summary="The security log",
)
@refuses("role-missing", "second-factor-needed", "bad-cursor")
def list_security_events(
    request: HttpRequest, response: HttpResponse, wanted: Query[EventFilter]
) -> EventPage:
    """List security events, newest first; for staff."""
    set_private(response)
    check_role(request, Role.STAFF)
    filters = wanted.model_dump(exclude={"cursor", "limit"})
    mark = fingerprint("security", filters)
    after = key_at(wanted.cursor, mark, 1)
    rows = entries(**{name: value for name, value in filters.items() if value is not None})
    if after is not None:
        rows = rows.filter(pk__lt=after[0])
    found = list(rows[: wanted.limit + 1])
    shown, next_cursor = found[: wanted.limit], None
    if len(found) > wanted.limit:
        next_cursor = cursor_at(mark, (shown[-1].pk,))
        link_to_next(request, response, cursor=next_cursor)
    plain = ("at", "kind", "address", "detail", "times")
    items = [
        EventShape(id=one.pk, user=one.name, **{name: getattr(one, name) for name in plain})
        for one in shown
    ]
    return EventPage(items=items, next_cursor=next_cursor)


def _host(name: str) -> HostInFull:
    found = None if "\0" in name else Host.objects.filter(name=name).first()
    if found is None:
        raise not_found(f"host {name}"[:200], "GET /api/v1/hosts lists them")
    (row,) = described_with_activity([found], timezone.now())
    evidence = found.evidence if isinstance(found.evidence, dict) else {}
    shown = {field: row[field] for field in (*HostShape.model_fields, "reason", "lobby")}
    return HostInFull(**shown, evidence=evidence)
