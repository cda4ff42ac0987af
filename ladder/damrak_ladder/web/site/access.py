"""Access control of the pages: who may see and do what."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeGuard, TypeVar

from allauth.account.decorators import reauthentication_required
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse

from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import has_role, may_act_as
from damrak_ladder.accounts.second_factor import lacks_second_factor
from damrak_ladder.security import SecurityEvent, record

View = Callable[..., HttpResponse]
Owned = TypeVar("Owned", bound=Model)


class UserRequest(HttpRequest):
    """A request of a logged-in user."""

    user: User


def is_known(user: User | AnonymousUser) -> TypeGuard[User]:
    """Return whether the user has logged in."""
    return user.is_authenticated


def may_see_inside(user: User | AnonymousUser, owner_id: int) -> bool:
    """Return whether this user may see logs, journeys and evidence of this owner's bots."""
    return is_known(user) and (user.pk == owner_id or may_act_as(user, Role.STAFF))


def refuse(request: HttpRequest, what: str) -> None:
    """Record a refused access to something of another user, or of a higher role."""
    user = request.user if request.user.is_authenticated else None
    record(SecurityEvent.ACCESS_REFUSED, request=request, user=user, detail={"what": what})


def own_or_404(request: UserRequest, rows: QuerySet[Owned], what: str) -> Owned:
    """Return the only one of these rows if this user owns it.

    Raises:
        Http404: there is none, or it belongs to another user.
    """
    found = get_object_or_404(rows)
    if found.owner_id != request.user.pk:  # type: ignore[attr-defined]  # every model with owners
        refuse(request, what)
        raise Http404
    return found


def may_see_trouble(user: User | AnonymousUser) -> bool:
    """Return whether this user may see why attempts failed, which may name machines of ours."""
    return is_known(user) and may_act_as(user, Role.ORGANISER)


def is_post(request: HttpRequest) -> bool:
    """Return whether the request submits a form."""
    return request.method == "POST"


def after_confirmation(needed: Callable[[HttpRequest], bool] = is_post) -> Callable[[View], View]:
    """Return a decorator for pages that require a recent confirmation of the user's identity.

    Users confirm their password or second factor first, unless they have just done so. The
    submitted form is kept until then.
    """
    decorate: Callable[[View], View] = reauthentication_required(enabled=needed)
    return decorate


def for_role(role: Role) -> Callable[[View], View]:
    """Return a decorator for pages of users with this role or a higher one.

    Other users are asked to log in, or refused. Users who have the role but lack the second factor
    that it needs are redirected to setting one up.
    """

    def decorate(view: View) -> View:
        @login_required
        @wraps(view)
        def guarded(request: UserRequest, *args: Any, **options: Any) -> HttpResponse:
            if has_role(request.user, role) and lacks_second_factor(request.user):
                return HttpResponseRedirect(reverse("web:second_factor"))
            if not may_act_as(request.user, role):
                refuse(request, f"a page for {role}")
                raise PermissionDenied
            return view(request, *args, **options)

        return guarded

    return decorate
