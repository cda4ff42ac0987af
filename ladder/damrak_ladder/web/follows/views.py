"""Following of bots, authors, ladders and tournaments."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from damrak_ladder.follows import feed_tokens
from damrak_ladder.follows.models import Subject
from damrak_ladder.follows.registry import follow, followed_by, unfollow
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.notices.models import Notice
from damrak_ladder.notices.results import without_results
from damrak_ladder.web.site.access import UserRequest
from damrak_ladder.web.site.rate_limits import at_most

NEWS: Final = 30


@login_required
def following(request: UserRequest) -> HttpResponse:
    """Show what the user follows."""
    news = Notice.objects.filter(user=request.user, kind=Kind.FOLLOWED).order_by("-pk")[:NEWS]
    context = {
        "rows": followed_by(request.user),
        "news": [(notice, without_results(notice)[0]) for notice in news],
        "feed": _feed_of(request),
    }
    return render(request, "web/follows/following.html", context)


def _feed_of(request: UserRequest) -> str:
    """Return the address of the private feed; empty without one."""
    token = feed_tokens.token_of(request.user)
    return request.build_absolute_uri(reverse("feeds:following", args=[token])) if token else ""


@login_required
@require_POST
@at_most(20, 60)
def change_feed(request: UserRequest) -> HttpResponse:
    """Create the private feed, replace its address, or delete it."""
    if request.POST.get("do") == "end":
        feed_tokens.end(request.user)
        messages.success(request, _("The feed was deleted. Its address no longer works."))
    else:
        feed_tokens.renew(request.user, timezone.now())
        messages.success(request, _("The feed has a new address. Earlier ones no longer work."))
    return HttpResponseRedirect(reverse("web:following"))


@login_required
@require_POST
@at_most(60, 60)
def change(request: UserRequest) -> HttpResponse:
    """Follow something, or no longer."""
    asked, name = request.POST.get("subject", ""), request.POST.get("name", "")[:150]
    if asked in Subject.values:
        if request.POST.get("do") == "stop":
            unfollow(request.user, Subject(asked), name)
        elif not follow(request.user, Subject(asked), name, timezone.now()):
            messages.error(request, _("This cannot be followed."))
    place = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(place, {request.get_host()}, request.is_secure()):
        place = reverse("web:following")
    return HttpResponseRedirect(place)
