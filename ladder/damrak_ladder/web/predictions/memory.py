"""The predictions of a visitor: in a signed cookie that ends with the session."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse

COOKIE: Final = "damrak-predictions"
REMEMBERED: Final = 50
"""The number of latest predictions that are remembered."""

_SALT: Final = "predictions"
_DAY: Final = 24 * 3600

Memory = dict[int, int]
"""The predicted seat by match, oldest first."""


def recall(request: HttpRequest) -> Memory:
    """Return what the browser remembers; nothing if the cookie is missing or not ours."""
    text = request.get_signed_cookie(COOKIE, default="", salt=_SALT, max_age=_DAY)
    try:
        pairs = [pair.split(":") for pair in (text or "").split(",") if pair]
        return {int(match): int(seat) for match, seat in pairs}
    except ValueError:
        return {}


def remember(request: HttpRequest, response: HttpResponse, memory: Memory) -> None:
    """Store this in the visitor's browser until it is closed."""
    latest = list(memory.items())[-REMEMBERED:]
    response.set_signed_cookie(
        COOKIE,
        ",".join(f"{match}:{seat}" for match, seat in latest),
        salt=_SALT,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
