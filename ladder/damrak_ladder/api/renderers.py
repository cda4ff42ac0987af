"""Rendering of answers as JSON."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja.renderers import JSONRenderer

from damrak_ladder.plain_text import plain_values


class PlainJson(JSONRenderer):
    """A JSON renderer that removes characters that control a terminal or the writing direction."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        """Return the text."""
        text = super().render(request, data, response_status=response_status)
        if "\\u" not in text:  # all of it is printable ASCII
            return text
        return super().render(request, plain_values(data), response_status=response_status)
