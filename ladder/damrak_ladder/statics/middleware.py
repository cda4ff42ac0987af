"""Middleware that serves the static files."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import (  # type: ignore[import-untyped]
    WhiteNoiseMiddleware,
)
from whitenoise.responders import (  # type: ignore[import-untyped]
    StaticFile,
)


class StaticsMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise for the files of every app, which it reads whole.

    The files are small, and an asynchronous server would stream a file piece by piece, by a thread
    of its own.
    """

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """Return the response with this file, or with the requested part of it."""
        found = static_file.get_response(request.method, request.META)
        body = b""
        if found.file is not None:
            with found.file as file:
                body = file.read()
        answer = HttpResponse(body, status=int(found.status))
        del answer["Content-Type"]
        for name, value in found.headers:
            answer[name] = value
        return answer
