"""`GET /healthz`, answered before anything else is asked.

It needs no host name, no https and no session, because those who ask are machines: proxies and
supervisors. However many ask, the parts are looked at by one of them, every two seconds at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from damrak_ladder.health.parts import is_well, look
from damrak_ladder.installation.environment import LOOPBACK

PATH: Final = "/healthz"
FRESH_FOR_S: Final = 2.0


class HealthMiddleware:
    """Answers 200 if all parts are well, else 503; either way with what each part says.

    Why a part is not well only those on this machine are told, and `damrak-ladder doctor`.
    """

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self._answer = answer
        self._lock = Lock()
        self._found: dict[str, str] = {}
        self._looked = float("-inf")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The answer to a request."""
        if request.path_info != PATH:
            return self._answer(request)
        if request.method not in {"GET", "HEAD"}:
            return HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
        with self._lock:
            if time.monotonic() - self._looked > FRESH_FOR_S:
                self._found = look(timezone.now())
                self._looked = time.monotonic()
            found = self._found
        status = 200 if is_well(found) else 503
        if request.META.get("REMOTE_ADDR") not in LOOPBACK:
            # Why names addresses, buckets and hosts, which are nobody else's business.
            found = {name: state.partition(": ")[0] for name, state in found.items()}
        answer = JsonResponse(found, status=status)
        answer._has_been_logged = True  # type: ignore[attr-defined]  # each time, it would fill the log
        answer["Cache-Control"] = "no-store"
        answer["Content-Length"] = str(len(answer.content))
        return answer
