"""Roles of users: checks and changes."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

from django.db import transaction

from damrak_ladder.accounts.errors import LastAdministrator
from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.second_factor import lacks_second_factor
from damrak_ladder.security import SecurityEvent, record

_ORDER = list(Role)


def _accept(user: User) -> None:
    """Accept any change."""


def grant(user: User, role: Role) -> None:
    """Set the highest role of the user, up or down."""
    before = user.role
    user.is_staff = role is Role.STAFF
    user.is_superuser = role is Role.STAFF
    user.is_organiser = role is not Role.AUTHOR
    user.save(update_fields=["is_staff", "is_superuser", "is_organiser"])
    if role is not before:
        detail = {"from": str(before), "to": str(role)}
        record(SecurityEvent.ROLE_CHANGED, user=user, detail=detail)


def has_role(user: User, role: Role) -> bool:
    """Return whether the user has this role or a higher one, usable or not."""
    return user.is_active and _ORDER.index(user.role) >= _ORDER.index(role)


def may_act_as(user: User, role: Role) -> bool:
    """Return whether the user has this role or a higher one, and the second factor it needs."""
    return has_role(user, role) and (role is Role.AUTHOR or not lacks_second_factor(user))


def as_author(user: User) -> User:
    """Return a copy of the user without the permissions of a role; it must not be saved."""
    plain = copy(user)
    plain.is_staff = plain.is_superuser = plain.is_organiser = False
    return plain


def change_role(user: User, role: Role, check: Callable[[User], None] = _accept) -> Role:
    """Set the role of the user; return the previous one.

    `check` gets the locked user and may raise an exception to prevent the change.

    Raises:
        LastAdministrator: no active administrator would be left.
    """
    with transaction.atomic():
        if role is not Role.STAFF:
            check_other_staff(user)
        locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        check(locked)
        before = locked.role
        grant(locked, role)
    return before


def check_other_staff(user: User) -> None:
    """Check that staff remains without this user. Must run in the caller's transaction.

    Raises:
        LastAdministrator
    """
    # All rows are locked, in one order, so that two administrators cannot leave at the same time.
    active = User.objects.filter(is_staff=True, is_active=True).exclude(email="")
    staff = list(active.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    if staff == [user.pk]:
        raise LastAdministrator
