"""Light or dark theme: the visitor's choice, or else the setting of the device."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from damrak_ladder.web.site.rate_limits import at_most

COOKIE: Final = "damrak-theme"
THEMES: Final = ("light", "dark")
_YEAR: Final = 365 * 24 * 3600


def look(request: HttpRequest) -> dict[str, str]:
    """Return the theme for the templates; empty if the device decides."""
    theme = request.COOKIES.get(COOKIE, "")
    return {"theme": theme if theme in THEMES else ""}


@csrf_exempt  # it only changes colours, and a token would give every visitor a cookie
@require_POST
@at_most(60, 60)
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Store the theme in a cookie and redirect to the page where it was chosen."""
    back = request.POST.get("next", "")
    allowed = {request.get_host()}
    if not url_has_allowed_host_and_scheme(back, allowed, require_https=request.is_secure()):
        back = "/"
    response = HttpResponseRedirect(back)
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        response.set_cookie(
            COOKIE,
            theme,
            max_age=_YEAR,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response
