"""Who may read an answer, and for how long it is good."""

from __future__ import annotations

import json
from typing import Final

from django.http import HttpResponse

from damrak_ladder.plain_text import plain_text

OPEN: Final = {"Access-Control-Allow-Origin": "*"}
"""For what everybody may read, from any page: no cookie ever changes it."""

FOR_EVER: Final = 31_536_000


def set_public(response: HttpResponse, seconds: int) -> None:
    """Let everybody read this answer, and keep it for so many seconds."""
    immutable = ", immutable" if seconds >= FOR_EVER else ""
    response["Cache-Control"] = f"public, max-age={seconds}{immutable}"
    for name, value in {**OPEN, "Access-Control-Expose-Headers": "Link, X-Total-Count"}.items():
        response[name] = value


def as_json(content: object, described: HttpResponse) -> HttpResponse:
    """The answer with this content and the headers of the one described.

    For long lists of values that are ours: nobody looks through them again before they are sent,
    so a test has to see that they are as the schema says.
    """
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    answer = HttpResponse(plain_text(text), content_type=described["Content-Type"])
    for name, value in described.items():
        answer[name] = value
    return answer


def set_private(response: HttpResponse) -> None:
    """Let nobody keep this answer."""
    response["Cache-Control"] = "private, no-store"
