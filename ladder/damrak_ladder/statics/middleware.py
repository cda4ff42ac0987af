"""Style sheets, scripts and pictures, served by the site itself."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import (  # type: ignore[import-untyped]
    WhiteNoiseMiddleware,
)
from whitenoise.responders import (  # type: ignore[import-untyped]
    StaticFile,
)


class StaticsMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise, which has the files of every app, but reads them whole.

    They are small, and a file that is streamed by a server of the asynchronous kind is read by a
    thread of its own, piece by piece.
    """

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """The answer with this file, or with the part of it that was asked for."""
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
