"""Template tags for users, their roles and their devices."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from django import template
from django.conf import settings

from damrak_ladder.accounts import second_factor, sessions
from damrak_ladder.accounts.models import Role
from damrak_ladder.web.site import state_texts
from damrak_ladder.web.site.access import is_known
from damrak_ladder.web.site.tags import is_local

register = template.Library()


@register.simple_tag(takes_context=True)
def lacks_second_factor(context: Mapping[str, Any]) -> bool:
    """Return whether the user's role is suspended because the second factor is missing."""
    user = context.get("user")
    return user is not None and is_known(user) and second_factor.lacks_second_factor(user)


@register.simple_tag(takes_context=True)
def local_mail_folder(context: Mapping[str, Any]) -> str:
    """Return the folder where emails are stored instead of sent, for readers on this machine."""
    folder = getattr(settings, "EMAIL_FILE_PATH", None)
    request = context.get("request")
    if not folder or request is None or not is_local(request):
        return ""
    # The host name in the request can be forged; the address of the connection cannot.
    return str(folder) if ip_address(request.META["REMOTE_ADDR"]).is_loopback else ""


@register.filter
def device_name(user_agent: str) -> str:
    """Return a browser and its system in a few words."""
    return sessions.device_name(user_agent)


@register.filter
def owner_name(username: str) -> str:
    """Return the displayed name of an owner."""
    return state_texts.owner_name(username)


@register.filter
def role_name(role: str) -> str:
    """Return the displayed name of a role."""
    return str(state_texts.ROLES[Role(role)])
