"""Users, their roles and their devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from damrak_ladder.accounts import second_factor, sessions
from damrak_ladder.accounts.models import Role
from damrak_ladder.web import wording
from damrak_ladder.web.access import is_known

register = template.Library()


@register.simple_tag(takes_context=True)
def lacks_second_factor(context: Mapping[str, Any]) -> bool:
    """Whether the role of the user of this page is suspended for want of a second factor."""
    user = context.get("user")
    return user is not None and is_known(user) and second_factor.lacks_second_factor(user)


@register.filter
def device_name(user_agent: str) -> str:
    """A browser and its system in a few words."""
    return sessions.device_name(user_agent)


@register.filter
def owner_name(username: str) -> str:
    """The name of an owner."""
    return wording.owner_name(username)


@register.filter
def role_name(role: str) -> str:
    """The name of a role."""
    return str(wording.ROLES[Role(role)])
