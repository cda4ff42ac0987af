"""The error page for requests that need an unreachable archive or replay store."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from damrak_ladder.stores.errors import StoreUnreachable

RETRY_AFTER_S = 20

_log = logging.getLogger(__name__)


class UnreachableMiddleware:
    """Middleware that answers 503 instead of 500, because the same request will work later."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response unchanged."""
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, problem: Exception) -> HttpResponse | None:
        """Return the error page if the store was unreachable."""
        if not isinstance(problem, StoreUnreachable):
            return None
        _log.error("store_unreachable", extra={"why": str(problem)})
        answer = render(request, "500.html", status=503)
        answer["Retry-After"] = str(RETRY_AFTER_S)
        answer["Cache-Control"] = "no-store"
        return answer
