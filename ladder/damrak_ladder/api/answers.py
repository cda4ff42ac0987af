"""Headers of answers: caching and cross-origin access."""

from __future__ import annotations

import json
from typing import Final

from django.http import HttpResponse

from damrak_ladder.plain_text import plain_text

OPEN: Final = {"Access-Control-Allow-Origin": "*"}
"""For public answers, readable from any page: they do not depend on cookies."""

EXPOSED: Final = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Total-Count"
"""Headers of public answers that scripts of other sites may read."""

FOR_EVER: Final = 31_536_000


def set_public(response: HttpResponse, seconds: int) -> None:
    """Make this answer public, cached for this many seconds."""
    immutable = ", immutable" if seconds >= FOR_EVER else ""
    response["Cache-Control"] = f"public, max-age={seconds}{immutable}"
    for name, value in {**OPEN, "Access-Control-Expose-Headers": EXPOSED}.items():
        response[name] = value


def as_json(content: object, described: HttpResponse) -> HttpResponse:
    """Return an answer with this content and the headers of the other one.

    For long lists of trusted values: they are not validated before they are sent, so a test has to
    check that they match the schema.
    """
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    answer = HttpResponse(plain_text(text), content_type=described["Content-Type"])
    for name, value in described.items():
        answer[name] = value
    return answer


def set_private(response: HttpResponse) -> None:
    """Forbid caching of this answer."""
    response["Cache-Control"] = "private, no-store"
