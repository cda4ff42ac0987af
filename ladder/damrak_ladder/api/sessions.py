"""API of the caller's sessions: the browsers that are signed in."""

from __future__ import annotations

from datetime import datetime

from allauth.usersessions.models import UserSession
from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status

from damrak_ladder.accounts.sessions import device_name, end_session
from damrak_ladder.api.access import READ, SETTINGS, caller
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.problems import not_found

router = Router(tags=["account"])


class SessionShape(Schema):
    """A browser in which the caller is signed in."""

    id: int
    device: str
    address: str
    created: datetime
    last_seen: datetime


@router.get(
    "/me/sessions",
    auth=READ,
    response=list[SessionShape],
    operation_id="list_sessions",
    summary="Where you are signed in",
)
def list_sessions(request: HttpRequest, response: HttpResponse) -> list[SessionShape]:
    """List the browsers in which the caller is signed in, the latest used first."""
    set_private(response)
    found = UserSession.objects.filter(user=caller(request)).order_by("-last_seen_at", "-pk")
    return [
        SessionShape(
            id=one.pk,
            device=device_name(one.user_agent),
            address=one.ip,
            created=one.created_at,
            last_seen=one.last_seen_at,
        )
        for one in found
    ]


@router.delete(
    "/me/sessions/{int:session_id}",
    auth=SETTINGS,
    response={204: None},
    operation_id="end_session",
    summary="Sign a browser out",
)
def end(request: HttpRequest, session_id: int) -> Status[None]:
    """End one of the caller's sessions. Tokens are not affected."""
    if session_id >= 1 << 63 or not end_session(caller(request), session_id):
        raise not_found(f"session {session_id} of yours", "GET /api/v1/me/sessions lists them")
    return Status(204, None)
