"""API of the site itself: software, keys, and the current token."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Router, Schema, Status

from damrak_ladder.accounts import local_key
from damrak_ladder.accounts.tokens import revoke
from damrak_ladder.api import types
from damrak_ladder.api.access import READ, caller, everybody, token_of
from damrak_ladder.api.answers import set_private, set_public
from damrak_ladder.api.shapes import Index, PublicKey, TokenShape, token_shape
from damrak_ladder.installation.environment import LOOPBACK
from damrak_ladder.replays.signatures import platform_key

Nonce = Annotated[str, Field(pattern="^([0-9a-f]{32})?$")]

router = Router(tags=["site"])


class Me(Schema):
    """The user to whom the token belongs."""

    username: str
    role: types.Role
    token: TokenShape
    language: str
    """The language of mails and notices."""
    hides_results: bool
    """Whether pages cover results until they are uncovered."""


@router.get("/", auth=everybody, response=Index, operation_id="get_index", summary="The software")
def index(request: HttpRequest, response: HttpResponse, nonce: Nonce = "") -> Index:
    """Return the software and its version, and where the local operator finds the token."""
    set_public(response, 0 if nonce else 60)
    site = urlsplit(settings.DAMRAK_URL)
    proof = None
    if nonce and site.hostname in LOOPBACK:
        proof = local_key.prove(nonce, site.port or (443 if site.scheme == "https" else 80))
    return Index(
        software="damrak",
        version=version("damrak"),
        url=settings.DAMRAK_URL,
        local_key=_local_key() if site.hostname in LOOPBACK else None,
        local_proof=proof,
    )


def _local_key() -> str | None:
    path = local_key.path()
    return str(path) if path.is_file() else None


@router.get(
    "/key",
    auth=everybody,
    response=PublicKey,
    operation_id="get_key",
    summary="The keys that sign replays",
)
def key(request: HttpRequest, response: HttpResponse) -> PublicKey:
    """Return the public keys for verifying signatures of replays: Ed25519, in hexadecimal."""
    set_public(response, 3600)
    found = platform_key()
    return PublicKey(
        algorithm="Ed25519", public_key=found.public, keys=[found.public, *found.earlier]
    )


@router.get("/me", auth=READ, response=Me, operation_id="get_me", summary="Owner of the token")
def me(request: HttpRequest, response: HttpResponse) -> Me:
    """Return the owner of the token, and its permissions."""
    set_private(response)
    owner = caller(request)
    return Me(
        username=owner.username,
        role=str(owner.role),
        token=token_shape(token_of(request)),
        language=owner.language,
        hides_results=owner.hides_results,
    )


@router.delete(
    "/me/token",
    auth=READ,
    response={204: None},
    operation_id="revoke_own_token",
    summary="Revoke this token",
)
def give_up_token(request: HttpRequest) -> Status[None]:
    """Revoke the token of this request permanently."""
    revoke(caller(request), token_of(request).pk, timezone.now())
    return Status(204, None)
