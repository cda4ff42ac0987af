"""What a page with the viewer has to fetch."""

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
    "player",
    "seats",
    "ways",
    "words",
)
"""All that `viewer.js` imports, directly or not, before it can begin."""


@register.simple_tag
def viewer_modules() -> SafeString:
    """Let the browser fetch all scripts at once, and not each when another one names it."""
    addresses = ((static(f"damrak/viewer/{name}.js"),) for name in MODULES)
    return format_html_join("", '<link rel="modulepreload" href="{}">', addresses)
