"""The second factor that organisers and staff need."""

from __future__ import annotations

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings

from damrak_ladder.accounts.models import Role, User

_CACHED = "_has_second_factor"


def lacks_second_factor(user: User) -> bool:
    """Return whether this user's role is suspended until a second factor is set up.

    Takes one query, for organisers and staff only, per user object (which lives for one request).
    """
    if not settings.DAMRAK_NEEDS_SECOND_FACTOR or user.role is Role.AUTHOR:
        return False
    if not hasattr(user, _CACHED):
        setattr(user, _CACHED, is_mfa_enabled(user))
    return not getattr(user, _CACHED)
