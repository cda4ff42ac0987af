"""Template tag that preloads the scripts of the match viewer."""

from __future__ import annotations

from typing import Final

from django import template
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()

MODULES: Final = (
    "board",
    "film",
    "graph",
    "keys",
    "list",
    "make",
    "market",
    "memory",
    "motion",
    "player",
    "seats",
    "sound",
    "ways",
    "words",
)
"""All modules that `viewer.js` imports, directly or indirectly, before it can start."""


@register.simple_tag
def viewer_modules() -> SafeString:
    """Return preload links, so that the browser fetches all scripts at once, not one by one."""
    addresses = ((static(f"damrak/viewer/{name}.js"),) for name in MODULES)
    return format_html_join("", '<link rel="modulepreload" href="{}">', addresses)
