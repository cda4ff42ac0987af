"""My bots, their versions, and what becomes of them."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Max
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from damrak_ladder.bots.errors import NotQualified, Overtaken
from damrak_ladder.bots.journey import journey
from damrak_ladder.bots.models import Bot, State, Version
from damrak_ladder.bots.standing import promote
from damrak_ladder.bots.submission import storage_of
from damrak_ladder.web.access import UserRequest, may_see_inside
from damrak_ladder.web.limits import at_most

UNDER_WAY: Final = frozenset({State.CHECKING, State.QUALIFYING})
"""States in which more will happen soon by itself."""


@login_required
def desk(request: UserRequest) -> HttpResponse:
    """All of my bots, each with its live version and its newest one."""
    bots = list(Bot.objects.filter(owner=request.user).select_related("live").order_by("slug"))
    keys = Version.objects.filter(bot__in=bots).values("bot").annotate(key=Max("pk"))
    newest = {
        version.bot_id: version
        for version in Version.objects.filter(pk__in=[row["key"] for row in keys])
    }
    context = {
        "bots": [(bot, newest.get(bot.pk)) for bot in bots],
        "limits": settings.DAMRAK_LIMITS,
        "storage": storage_of(request.user),
    }
    return render(request, "web/desk/desk.html", context)


@login_required
def bot(request: UserRequest, slug: str) -> HttpResponse:
    """One of my bots, with all its versions."""
    found = _mine(request, slug)
    versions = found.versions.order_by("-number")
    return render(request, "web/desk/bot.html", {"bot": found, "versions": versions})


@login_required
def version(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """One version and its journey; only the journey, when the page asks for news of it."""
    found = get_object_or_404(_mine(request, slug).versions, number=number)
    context = {
        "bot": found.bot,
        "version": found,
        "steps": journey(found),
        "is_under_way": found.state in UNDER_WAY,
    }
    is_fragment = getattr(request, "htmx", False)
    template = "web/desk/_journey.html" if is_fragment else "web/desk/version.html"
    return render(request, template, context)


@login_required
@at_most(20, 60)
def make_live(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask whether this version is to be live; then let it be."""
    found = get_object_or_404(_mine(request, slug).versions, number=number)
    if request.method != "POST":
        return render(request, "web/desk/make_live.html", {"bot": found.bot, "version": found})
    expected = request.POST.get("expected", "")
    try:
        promote(
            found.bot_id,
            int(expected) if expected.isdigit() else None,
            found.pk,
            timezone.now(),
            request.user,
        )
    except NotQualified:
        messages.error(request, _("Only a version that has qualified can be live."))
    except Overtaken:
        messages.error(request, _("Another version went live meanwhile. Look, and decide again."))
    else:
        messages.success(request, _("Version %(number)s is live now.") % {"number": found.number})
    return HttpResponseRedirect(reverse("web:desk_bot", args=[slug]))


def _mine(request: UserRequest, slug: str) -> Bot:
    found = get_object_or_404(Bot.objects.select_related("live", "owner"), slug=slug)
    if not may_see_inside(request.user, found.owner_id):
        raise PermissionDenied
    return found
