"""The public page of an author and their bots."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.names import IS_GUEST
from damrak_ladder.tournaments.trophies import trophies
from damrak_ladder.web.bot.profile import ratings_of


def person(request: HttpRequest, name: str) -> HttpResponse:
    """Show an author of bots; nothing else about users is public."""
    if "\0" in name:  # not every database can search for it
        raise Http404
    authors = User.objects.filter(bots__isnull=False).distinct()
    owner = get_object_or_404(authors, username=name)
    bots = list(owner.bots.exclude(IS_GUEST).select_related("live").order_by("slug"))
    ratings = ratings_of(bot.live_id for bot in bots if bot.live_id)
    rows = [(bot, ratings.get(bot.live_id or 0, [])) for bot in bots]
    context = {"owner": owner, "bots": rows, "trophies": trophies([bot.pk for bot in bots])}
    return render(request, "web/bot/person.html", context)
