"""API of roles: staff give them and take them away."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from allauth.account import app_settings
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router

from damrak_ladder.accounts.errors import LastAdministrator
from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import change_role
from damrak_ladder.api import filter_types
from damrak_ladder.api.access import ORGANISE, ROLES, caller, count, token_of
from damrak_ladder.api.administration import UserShape, check_role
from damrak_ladder.api.answers import set_private
from damrak_ladder.api.conditional import check_unchanged, conditional
from damrak_ladder.api.description.refusals import refuses
from damrak_ladder.api.problems import Problem, not_found
from damrak_ladder.api.requests import Body
from damrak_ladder.message_codes.wording import english

CHANGES: Final = 30
"""Changes by one user in ten minutes, as on the site."""

router = Router(tags=["organisers"])


class NewRole(Body):
    """The role that a user is to have."""

    role: filter_types.Role


@router.get(
    "/users/{str:name}",
    auth=ORGANISE,
    response=UserShape,
    operation_id="get_user",
    summary="A user with a role",
)
@refuses("role-missing", "second-factor-needed")
def get_user(request: HttpRequest, response: HttpResponse, name: str) -> UserShape:
    """Return a user with the role, for staff; the `ETag` is for a change of the role."""
    set_private(response)
    check_role(request, Role.STAFF)
    return user_shape(_user(name))


@router.put(
    "/users/{str:name}/role",
    auth=ROLES,
    response=UserShape,
    operation_id="set_role",
    summary="Change the role of a user",
)
@refuses("role-missing", "second-factor-needed", "confirmation-needed", "last-administrator")
@conditional
def set_role(request: HttpRequest, response: HttpResponse, name: str, new: NewRole) -> UserShape:
    """Give a user a role or take it away; for staff, with a new token.

    On the site, this requires that staff have just confirmed their identity. Creating a token
    requires the same, so the token must be as new as such a confirmation. `If-Match` with the tag
    of the user prevents the change if somebody else has changed the role in the meantime.
    """
    set_private(response)
    check_role(request, Role.STAFF)
    _check_is_new(request)
    count(request, "roles", str(caller(request).pk), CHANGES, 600)
    user = _user(name)
    try:
        change_role(
            user, Role(new.role), lambda locked: check_unchanged(request, user_shape(locked))
        )
    except LastAdministrator as problem:
        cure = "make another user an administrator first"
        raise Problem(409, "last-administrator", english(problem.message), cure) from None
    user.refresh_from_db()
    return user_shape(user)


def user_shape(user: User) -> UserShape:
    """Return a user in the form of the API."""
    return UserShape(
        username=user.username,
        role=str(user.role),
        is_active=user.is_active,
        has_second_factor=Authenticator.objects.filter(user=user).exists(),
    )


def _user(name: str) -> User:
    rows = User.objects.exclude(email="")
    user = None if "\0" in name else rows.filter(username__iexact=name).first()
    if user is None:
        raise not_found(f"user {name}"[:200], "GET /api/v1/users?q=TEXT lists users by name")
    return user


def _check_is_new(request: HttpRequest) -> None:
    """Check that the token was created as recently as a confirmation on the site counts.

    Raises:
        Problem
    """
    seconds = int(app_settings.REAUTHENTICATION_TIMEOUT)
    if timezone.now() - token_of(request).created > timedelta(seconds=seconds):
        raise Problem(
            403,
            "confirmation-needed",
            f"a change of roles requires a token of the last {seconds // 60} minutes",
            f"create one with the scope roles: {settings.DAMRAK_URL}/desk/tokens/",
        )
