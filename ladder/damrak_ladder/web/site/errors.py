"""Error pages: what went wrong, and what helps."""

from __future__ import annotations

import sys
from typing import Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from damrak_ladder.accounts.errors import TooOften
from damrak_ladder.web.site.rate_limits import too_often
from damrak_ladder.web.site.unreachable import RETRY_AFTER_S

ACCOUNT_LIMIT_S: Final = 60
"""The window of allauth's rate limits; no limit that is handled here has a longer one."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a malformed request (400)."""
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that this user may not make (403)."""
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request for a page that does not exist (404)."""
    return render(request, "404.html", status=404)


def account_limit(request: HttpRequest) -> HttpResponse:
    """Answer too many sign-ins, sign-ups, password resets or changes of an account."""
    return too_often(request, TooOften(ACCOUNT_LIMIT_S))


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that did not come from a page of ours, or from one that is too old."""
    return render(request, "403_csrf.html", status=403)


def broken(request: HttpRequest) -> HttpResponse:
    """Answer after an internal error, without the database, which may be the cause.

    If the database is the cause, the status is 503 with Retry-After, because the same request will
    work later.
    """
    if not isinstance(sys.exc_info()[1], (OperationalError, InterfaceError)):
        return render(request, "500.html", status=500)
    answer = render(request, "500.html", status=503)
    answer["Retry-After"] = str(RETRY_AFTER_S)
    answer["Cache-Control"] = "no-store"
    return answer
