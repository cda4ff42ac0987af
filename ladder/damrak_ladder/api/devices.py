"""API of device login: a program requests a code, its user approves it at /device/."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Router, Schema

from damrak_ladder.accounts import devices
from damrak_ladder.accounts.errors import DeviceRefused, LoginPending, TooManyTokens
from damrak_ladder.api import types
from damrak_ladder.api.access import address_of, count
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.problems import Problem
from damrak_ladder.api.requests import Body

LOGINS: int = 10  # per address in ten minutes
POLLS: int = 60  # per address and minute

router = Router(tags=["login"])


class NewLogin(Body):
    """A request by a program."""

    name: Annotated[str, Field(max_length=200)] = "damrak"


class LoginCodes(Schema):
    """The codes: one to show to the user, one to keep."""

    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires: datetime
    interval: int


class LoginCode(Body):
    """The code that the program kept."""

    device_code: Annotated[str, Field(max_length=200)]


class IssuedToken(Schema):
    """A token, which is shown once."""

    token: str
    name: str
    username: str
    scopes: list[types.Scope]
    expires: datetime | None


@router.post(
    "/device",
    response=LoginCodes,
    operation_id="start_login",
    summary="Start the login of a program",
)
def begin(request: HttpRequest, response: HttpResponse, asked: NewLogin) -> LoginCodes:
    """Create codes for a login, which the user approves in a browser within ten minutes."""
    set_private(response)
    count(request, "device", address_of(request), LOGINS, 600)
    codes = devices.begin(asked.name, address_of(request), timezone.now())
    page = f"{settings.DAMRAK_URL}/device/"
    return LoginCodes(
        device_code=codes.long,
        user_code=codes.short,
        verification_uri=page,
        verification_uri_complete=f"{page}?code={codes.short}",
        expires=codes.expires,
        interval=devices.POLL_SECONDS,
    )


@router.post(
    "/device/token",
    response=IssuedToken,
    operation_id="collect_token",
    summary="LoginCode the token of a login",
)
@refuses("authorization-pending", "login-refused", "too-many-tokens")
def collect(request: HttpRequest, response: HttpResponse, kept: LoginCode) -> IssuedToken:
    """Return the token, once, after approval; until then 400 `authorization-pending`."""
    set_private(response)
    count(request, "device-poll", address_of(request), POLLS)
    try:
        token, secret = devices.collect(kept.device_code, timezone.now())
    except LoginPending as problem:
        raise Problem(400, "authorization-pending", str(problem), "poll again") from None
    except DeviceRefused as problem:
        raise Problem(400, "login-refused", str(problem), "damrak login") from None
    except TooManyTokens as problem:
        raise Problem(409, "too-many-tokens", str(problem), "revoke one on the site") from None
    return IssuedToken(
        token=secret,
        name=token.name,
        username=token.owner.username,
        scopes=token.scopes,
        expires=token.expires,
    )
