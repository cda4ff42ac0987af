"""Rate limits per visitor. Refused requests are answered with the time to wait."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from damrak_ladder.accounts.budgets import spend
from damrak_ladder.accounts.errors import TooOften

View = Callable[..., HttpResponse]


def at_most(times: int, seconds: int, method: str = "POST") -> Callable[[View], View]:
    """Return a decorator that limits requests of one user or address to `times` per `seconds`.

    With the method POST, only POST requests count. With GET, every request counts, because all of
    them cost the same.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def limited(request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
            if method in (request.method, "GET"):
                try:
                    spend(f"web-{view.__name__}", who(request), times, seconds)
                except TooOften as problem:
                    return too_often(request, problem)
            return view(request, *args, **options)

        return limited

    return decorate


def too_often(request: HttpRequest, problem: TooOften) -> HttpResponse:
    """Return the page with the time to wait."""
    response = render(request, "429.html", {"seconds": problem.retry_after}, status=429)
    response.headers["Retry-After"] = str(problem.retry_after)
    return response


def who(request: HttpRequest) -> str:
    """Return the identity that a limit applies to: the user, or else the address."""
    if request.user.is_authenticated:
        return f"user {request.user.pk}"
    return str(request.META.get("REMOTE_ADDR", ""))


def is_cross_site(request: HttpRequest) -> bool:
    """Return whether a browser sent this from another site; programs send no such header."""
    return request.headers.get("Sec-Fetch-Site", "none") not in {"same-origin", "none"}
