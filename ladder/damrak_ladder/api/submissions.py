"""API of submissions: archives and remote bots."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Query, Schema, Status

from damrak_archive.limits import MIB
from damrak_ladder.api.access import PLAY, SUBMIT, caller, count, own_bot
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.bots import router  # ninja has one view for all methods of a path
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.idempotency import idempotent
from damrak_ladder.api.problems import Problem
from damrak_ladder.api.requests import Body
from damrak_ladder.api.shapes import VersionShape, version_shape
from damrak_ladder.bots import connect_tokens
from damrak_ladder.bots.errors import SameContent
from damrak_ladder.bots.inspection import LARGEST
from damrak_ladder.matches.models import Host, HostState
from damrak_ladder.pipeline.submission import connect, connect_again, submit

UPLOADS: Final = 30  # per owner in ten minutes, including refused ones
AWAY_AFTER: Final = timedelta(seconds=60)
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")


class VersionNote(Schema):
    """An author's description of a version."""

    note: Annotated[str, Field(max_length=500)] = ""
    canary: bool = False
    """Play shadow games first; it is made live manually."""


class NewRemote(Body):
    """The description of a remote version."""

    software: Annotated[str, Field(min_length=1, max_length=200)]
    """The author's own name of this version; another text is another version."""
    note: Annotated[str, Field(max_length=500)] = ""


class RegisteredRemote(Schema):
    """A remote version, its token, and where to connect."""

    version: VersionShape
    token: str
    lobbies: list[str]


class RenewedToken(Schema):
    """A new connect token."""

    token: str
    lobbies: list[str]


@router.post(
    "/bots/{slug:slug}/versions",
    auth=SUBMIT,
    response={201: VersionShape},
    operation_id="submit_archive",
    summary="Submit an archive",
    openapi_extra={
        "x-damrak-headers": ["Location"],
        "requestBody": {
            "required": True,
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        },
    },
)
@refuses("not-yours", "not-taken", "not-an-archive", "same-content", "limit-reached")
@idempotent(SUBMIT)
def submit_archive(
    request: HttpRequest, response: HttpResponse, slug: str, about: Query[VersionNote]
) -> Status[VersionShape]:
    """Create a version from the archive in the body of the request, and start its qualification.

    An archive that breaks a rule is refused with 422, and not stored.
    """
    set_private(response)
    owner = caller(request)
    bot = own_bot(owner, slug)
    count(request, "upload", str(owner.pk), UPLOADS, 600)
    data = _body(request)
    version = submit(bot, data, timezone.now(), about.note, goes_live=not about.canary)
    response["Location"] = f"/api/v1/versions/{version.pk}"
    return Status(201, version_shape(version))


@router.post(
    "/bots/{slug:slug}/remote",
    auth=PLAY,
    response={201: RegisteredRemote},
    operation_id="register_remote",
    summary="Register a remote bot",
    openapi_extra={"x-damrak-headers": ["Location"]},
)
@refuses("not-yours", "same-content", "limit-reached")
@idempotent(PLAY)
def register_remote(
    request: HttpRequest, response: HttpResponse, slug: str, remote: NewRemote
) -> Status[RegisteredRemote]:
    """Register a remote version, which connects with the token; the token is shown once.

    The same software again is the same version, and gets a new token if it is the newest version;
    if it has failed it qualifies again. An earlier token is revoked.
    """
    set_private(response)
    bot, now = own_bot(caller(request), slug), timezone.now()
    try:
        version, secret = connect(bot, remote.software, now, remote.note)
    except SameContent as same:
        version, secret = connect_again(bot, same.number, now)
    response["Location"] = f"/api/v1/versions/{version.pk}"
    return Status(
        201, RegisteredRemote(version=version_shape(version), token=secret, lobbies=_lobbies())
    )


@router.post(
    "/bots/{slug:slug}/token",
    auth=PLAY,
    response=RenewedToken,
    operation_id="renew_connect_token",
    summary="Renew the connect token of a bot",
)
@refuses("not-yours")
@idempotent(PLAY)
def renew_token(request: HttpRequest, response: HttpResponse, slug: str) -> RenewedToken:
    """Return a new token for a remote bot; the earlier one is revoked."""
    set_private(response)
    bot = own_bot(caller(request), slug)
    return RenewedToken(token=connect_tokens.issue(bot, timezone.now()), lobbies=_lobbies())


@router.delete(
    "/bots/{slug:slug}/token",
    auth=PLAY,
    response={204: None},
    operation_id="revoke_connect_token",
    summary="Revoke the connect token of a bot",
)
@refuses("not-yours")
def revoke_token(request: HttpRequest, slug: str) -> Status[None]:
    """Revoke the token of a remote bot, so that it cannot connect any more."""
    connect_tokens.revoke(own_bot(caller(request), slug), timezone.now())
    return Status(204, None)


def _body(request: HttpRequest) -> bytes:
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind in _FORMS:
        raise Problem(
            415,
            "not-an-archive",
            f"the body is a form ({kind}), not an archive",
            "send the file itself: curl --data-binary @bot.zip -H 'Content-Type: application/zip'",
        )
    data = request.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Problem(
            413,
            "too-large",
            f"the archive is larger than {LARGEST // MIB} MiB",
            "remove files that the bot does not need",
        )
    if not data:
        raise Problem(422, "not-taken", "the body is empty", "send the archive as the body")
    return data


def _lobbies() -> list[str]:
    """Return the addresses at which remote bots connect; any of them will do."""
    since = timezone.now() - AWAY_AFTER
    hosts = Host.objects.filter(state=HostState.TRUSTED, last_seen__gte=since).exclude(lobby="")
    found = list(hosts.order_by("name").values_list("lobby", flat=True))
    return found or ([settings.DAMRAK_LOBBY] if settings.DAMRAK_LOBBY else [])
