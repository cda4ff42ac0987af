"""Search for bots, people and matches."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse

from damrak_engine.boards import board_names, load_board
from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot
from damrak_ladder.bots.names import begins, slug_like, slug_of
from damrak_ladder.matches.models import Ladder
from damrak_ladder.time_ordered_ids import having_id
from damrak_ladder.tournaments.visibility import visible_blocks, visible_matches
from damrak_ladder.web.site.rate_limits import at_most

MOST: Final = 30
LONGEST: Final = 60
_VERSUS: Final = re.compile(r"\s+(?:vs\.?|versus|against|x|\u00d7)\s+", re.IGNORECASE)


@at_most(60, 60, method="GET")
def search(request: HttpRequest) -> HttpResponse:
    """Search bots, people, boards and places by name, matches and blocks by number.

    The last six digits of a number are enough, as headings show them.

    "A vs B" with the names of two bots, or their beginnings, is redirected to their comparison.

    A request with `go` and the full name of a bot is redirected to its page.
    """
    asked = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST]
    if request.GET.get("go") and (slug := slug_of(asked)):
        return HttpResponseRedirect(reverse("web:bot", args=[slug]))
    if pair := _pair(asked):
        return HttpResponseRedirect(f"{reverse('web:compare')}?{urlencode(pair)}")
    context: dict[str, object] = {"asked": asked, "most": MOST}
    if asked:
        bots = Bot.objects.select_related("owner", "live")
        context["bots"] = bots.filter(begins(asked)).order_by("slug")[:MOST]
        people = User.objects.filter(username__istartswith=asked)
        context["people"] = people.filter(bots__isnull=False).distinct().order_by("username")[:MOST]
        context["boards"] = _boards(asked.lower())
        context["matches"] = having_id(visible_matches(request.user), asked)[:MOST]
        context["blocks"] = having_id(visible_blocks(request.user), asked)[:MOST]
    return render(request, "web/site/search.html", context)


def _pair(asked: str) -> dict[str, str] | None:
    """Return the two bots of a request such as "tulip vs gable"; None if it is no such request."""
    names = [name.strip() for name in _VERSUS.split(asked)]
    if len(names) != 2 or not all(names):
        return None
    first, second = (slug_like(name) for name in names)
    return {"a": first, "b": second} if first and second and first != second else None


def _boards(asked: str) -> list[tuple[str, str, list[Ladder]]]:
    """Return boards by the beginning of their names or places: name, place, and ladders.

    Boards that are made anew each day are not searched.
    """
    ladders = list(Ladder.objects.filter(is_open=True).order_by("slug")[:MOST])
    found = []
    for name in board_names():
        board = load_board(name)
        places = [one.name for one in board.locations]
        place = next((one for one in places if one.lower().startswith(asked)), "")
        if place or name.startswith(asked) or board.name.lower().startswith(asked):
            found.append((board.name, place, [one for one in ladders if name in one.boards]))
    return found
