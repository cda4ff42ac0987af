"""The course for newcomers: the game in six steps."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from damrak_ladder.web.learn.course import BOARD, course
from damrak_ladder.web.learn.lessons import lessons


@require_safe
def learn(request: HttpRequest) -> HttpResponse:
    """Show the course; without scripts it is an illustrated text whose answers can be opened."""
    own, other = (seat.total for seat in course().replay.result.seats)
    context = {"lessons": lessons(), "own": own, "other": other, "board": BOARD}
    return render(request, "web/learn/learn.html", context)
