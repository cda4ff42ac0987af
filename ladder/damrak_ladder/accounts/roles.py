"""Who may do what."""

from __future__ import annotations

from damrak_ladder.accounts.models import Role, User
from damrak_ladder.security import SecurityEvent, record

_ORDER = list(Role)


def grant(user: User, role: Role) -> None:
    """Make this the highest role of the user, up or down."""
    before = user.role
    user.is_staff = role is Role.STAFF
    user.is_superuser = role is Role.STAFF
    user.is_organiser = role is not Role.AUTHOR
    user.save(update_fields=["is_staff", "is_superuser", "is_organiser"])
    if role is not before:
        detail = {"from": str(before), "to": str(role)}
        record(SecurityEvent.ROLE_CHANGED, user=user, detail=detail)


def may_act_as(user: User, role: Role) -> bool:
    """Whether the user has this role or a higher one."""
    return user.is_active and _ORDER.index(user.role) >= _ORDER.index(role)
