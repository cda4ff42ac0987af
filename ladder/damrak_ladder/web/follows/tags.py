"""Template tag for the button that follows something."""

from __future__ import annotations

from typing import Any

from django import template

from damrak_ladder.follows.models import Subject
from damrak_ladder.follows.registry import follows
from damrak_ladder.web.site.access import is_known

register = template.Library()


@register.inclusion_tag("web/follows/_button.html", takes_context=True)
def follow_button(context: dict[str, Any], subject: str, name: str) -> dict[str, Any]:
    """Return the button for something with this name in its address; one query for users."""
    user = context["request"].user
    return {
        "subject": subject,
        "name": name,
        "is_known": is_known(user),
        "is_followed": is_known(user) and follows(user, Subject(subject), name),
        "next": context["request"].path,
        "csrf_token": context.get("csrf_token", ""),
    }
