"""The page that approves a program's login by a short code."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from damrak_ladder.accounts import devices
from damrak_ladder.accounts.errors import DeviceRefused, TooOften
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.web.site.access import UserRequest, after_confirmation
from damrak_ladder.web.site.rate_limits import too_often


@login_required
@after_confirmation(lambda request: "approve" in request.POST)
def device(request: UserRequest) -> HttpResponse:
    """Show which program asks for which access; only a submitted form approves or refuses it."""
    now = timezone.now()
    code = (request.POST if request.method == "POST" else request.GET).get("code", "").strip()
    context: dict[str, object] = {"code": code}
    try:
        if request.method == "POST" and "approve" in request.POST:
            context["approved"] = devices.approve(request.user, code, now)
        elif request.method == "POST" and "refuse" in request.POST:
            context["refused"] = devices.refuse(request.user, code, now)
        elif code:
            context["login"] = devices.find(request.user, code, now)
    except TooOften as problem:
        return too_often(request, problem)
    except DeviceRefused as problem:
        context["problem"] = text_of(problem.message)
    response = render(request, "web/desk/device.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response
