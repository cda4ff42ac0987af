"""The site with timing headers, as an ASGI application for uvicorn.

Each response has a `Server-Timing` header with the time that the server took (`app`), the part of
it spent in the database (`db`), the processor time of our thread (`cpu`) and the number of queries
(`queries`, as a description).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse

from damrak_ladder.management import prepare

_addresses = itertools.count()


class Observer:
    """Middleware that measures everything below it; it is the outermost one."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response with a `Server-Timing` header."""
        # Use a different client address for each request, so that rate limits do not distort the
        # figures.
        number = next(_addresses)
        request.META["REMOTE_ADDR"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        spent = [0.0, 0]

        def watch(execute: Any, *args: Any) -> Any:
            begun = time.perf_counter()
            try:
                return execute(*args)
            finally:
                spent[0] += time.perf_counter() - begun
                spent[1] += 1

        begun, used = time.perf_counter(), time.thread_time()
        with connection.execute_wrapper(watch):
            answer = self._answer(request)
        app, cpu = time.perf_counter() - begun, time.thread_time() - used
        answer["Server-Timing"] = (
            f"app;dur={app * 1000:.3f}, db;dur={spent[0] * 1000:.3f}, "
            f"cpu;dur={cpu * 1000:.3f}, queries;desc={spent[1]}"
        )
        return answer


prepare()
settings.MIDDLEWARE.insert(0, f"{__name__}.Observer")

from damrak_ladder.asgi import application  # noqa: E402, F401 - loads the configured middleware
