"""Who may see and do what on the pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeGuard

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import may_act_as

View = Callable[..., HttpResponse]


class UserRequest(HttpRequest):
    """A request of somebody who has logged in."""

    user: User


def is_known(user: User | AnonymousUser) -> TypeGuard[User]:
    """Whether somebody has logged in."""
    return user.is_authenticated


def may_see_inside(user: User | AnonymousUser, owner_id: int) -> bool:
    """Whether logs, journeys and evidence of this owner's bots are for this user's eyes."""
    return is_known(user) and (user.pk == owner_id or may_act_as(user, Role.STAFF))


def may_see_trouble(user: User | AnonymousUser) -> bool:
    """Whether why attempts failed is for this user's eyes: it may name machines of ours."""
    return is_known(user) and may_act_as(user, Role.ORGANISER)


def for_role(role: Role) -> Callable[[View], View]:
    """A page for users of this role or a higher one; others are asked to log in, or refused."""

    def decorate(view: View) -> View:
        @login_required
        @wraps(view)
        def guarded(request: UserRequest, *args: Any, **options: Any) -> HttpResponse:
            if not may_act_as(request.user, role):
                raise PermissionDenied
            return view(request, *args, **options)

        return guarded

    return decorate
