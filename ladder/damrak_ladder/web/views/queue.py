"""The queue: what is played, what comes next, and why something waits."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.web import blocks

MOST: Final = 50


def queue(request: HttpRequest) -> HttpResponse:
    """Blocks that run, and those that wait, in the order in which they are due."""
    running = Block.objects.filter(state=BlockState.RUNNING).order_by("pk")[:MOST]
    waiting = Block.objects.filter(state=BlockState.WAITING).order_by("due", "pk")[:MOST]
    context = {"running": blocks.shown(running), "waiting": blocks.shown(waiting)}
    template = "web/_queue.html" if getattr(request, "htmx", False) else "web/queue.html"
    return render(request, template, context)
