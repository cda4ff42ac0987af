"""Search for bots, people and matches."""

from __future__ import annotations

from typing import Final

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot
from damrak_ladder.matches.models import Block, Match
from damrak_ladder.web.limits import at_most

MOST: Final = 30
LONGEST: Final = 60


@at_most(60, 60, method="GET")
def search(request: HttpRequest) -> HttpResponse:
    """Search bots and people by the beginning of their names, matches and blocks by number.

    A request with `go` and the full name of a bot is redirected to its page.
    """
    asked = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST]
    if request.GET.get("go") and Bot.objects.filter(slug=asked.lower()).exists():
        return HttpResponseRedirect(reverse("web:bot", args=[asked.lower()]))
    context: dict[str, object] = {"asked": asked, "most": MOST}
    if asked:
        bots = Bot.objects.select_related("owner", "live")
        named = Q(slug__startswith=asked.lower()) | Q(name__istartswith=asked)
        context["bots"] = bots.filter(named).order_by("slug")[:MOST]
        people = User.objects.filter(username__istartswith=asked)
        context["people"] = people.filter(bots__isnull=False).distinct().order_by("username")[:MOST]
        number = asked.lstrip("#")
        if number.isascii() and number.isdigit() and len(number) < 19:
            context["matches"] = Match.objects.filter(pk=int(number))
            context["blocks"] = Block.objects.filter(pk=int(number))
    return render(request, "web/search.html", context)
