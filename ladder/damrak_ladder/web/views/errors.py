"""What went wrong, and what helps."""

from __future__ import annotations

import sys
from typing import Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from damrak_ladder.accounts.errors import TooOften
from damrak_ladder.web.limits import too_often
from damrak_ladder.web.unreachable import RETRY_AFTER_S

ACCOUNT_LIMIT_S: Final = 60
"""The window of allauth's limits; none of those that are answered here has a longer one."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The request makes no sense."""
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Not for this user."""
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """There is no such page."""
    return render(request, "404.html", status=404)


def account_limit(request: HttpRequest) -> HttpResponse:
    """The answer to too many sign-ins, sign-ups, password resets or changes of an account."""
    return too_often(request, TooOften(ACCOUNT_LIMIT_S))


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form did not come from a page of ours, or from one that is too old."""
    return render(request, "403_csrf.html", status=403)


def broken(request: HttpRequest) -> HttpResponse:
    """Our own fault. The page asks nothing of the database, which may be why.

    Where it is, the same will work later, and whoever asks is told so.
    """
    if not isinstance(sys.exc_info()[1], (OperationalError, InterfaceError)):
        return render(request, "500.html", status=500)
    answer = render(request, "500.html", status=503)
    answer["Retry-After"] = str(RETRY_AFTER_S)
    answer["Cache-Control"] = "no-store"
    return answer
