"""Security headers of every page: no content from other sites, no inline scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "base-uri 'none'",
        "connect-src 'self'",
        "font-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",  # data: for the QR code of two-factor apps
        "manifest-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
    )
)

_HEADERS: Final = {
    "Cache-Control": "private",  # proxies must not cache pages of signed-in users
    "Content-Security-Policy": POLICY,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class HeadersMiddleware:
    """Middleware that adds these headers, unless the view has set another value itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response with the headers added."""
        response = self._get_response(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response
