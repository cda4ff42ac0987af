"""Views of the pages on which people play.

They need no account and no session: a browser shows its secret, a cookie that is set when it sits
down. Posts from other sites are refused, so these pages need no token, which would itself be a
cookie for every visitor.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.core.exceptions import PermissionDenied
from django.db import close_old_connections
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from damrak_engine.errors import ReplayError
from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.message_codes.block_codes import BotNotConnected
from damrak_ladder.play import answers, tables
from damrak_ladder.play.advice import ADVISERS
from damrak_ladder.play.errors import BadChoice, BotAway, TableFull, TooManyGames
from damrak_ladder.play.mailbox import AWAY_S
from damrak_ladder.replays.errors import ReplayStoreError
from damrak_ladder.tournaments.visibility import passed
from damrak_ladder.web.play import choices
from damrak_ladder.web.play.chairs import (
    Sitting,
    allows,
    awaited_at,
    games_of,
    remember,
    secret_of,
    sitting_of,
)
from damrak_ladder.web.play.log import log_of
from damrak_ladder.web.play.page import table_context
from damrak_ladder.web.play.stream import MAILBOXES, MOST_PAGES, stream as table_stream
from damrak_ladder.web.site.errors import forbidden
from damrak_ladder.web.site.rate_limits import at_most, is_cross_site

GAMES_PER_HOUR: Final = 60
ADVICE_PER_HOUR: Final = 300
_DONE: Final = (BlockState.RECORDED, BlockState.DEAD)


@csrf_exempt  # `is_cross_site` is enough; a token would give every visitor a cookie
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@at_most(GAMES_PER_HOUR, 3600)
def play(request: HttpRequest) -> HttpResponse:
    """Show the choice of opponents; POST creates a game."""
    problem = ""
    now = datetime.now(UTC)
    if request.method == "POST":
        if is_cross_site(request):
            return forbidden(request, PermissionDenied())
        secret = secret_of(request)
        try:
            wish = choices.wish_of(request.POST, now)
            address = str(request.META.get("REMOTE_ADDR", ""))
            game = tables.create(wish, tables.key_of(secret), address, now)
        except BadChoice:
            problem = "choice"
        except BotAway:
            problem = "away"
        except TooManyGames:
            problem = "many"
        else:
            response = redirect("web:play_game", game.code)
            remember(response, secret)
            return response
    context = {**choices.context(request.POST, now), "problem": problem, "games": games_of(request)}
    return render(request, "web/play/play.html", context, status=400 if problem else 200)


@require_safe
@never_cache
def game(request: HttpRequest, code: str) -> HttpResponse:
    """Show a game: the invitation, the table, or the result."""
    sitting = sitting_of(request, code)
    block = sitting.game.block
    address = request.build_absolute_uri(reverse("web:play_game", args=[code]))
    context: dict[str, Any] = {"sitting": sitting, "code": code, "address": address}
    if block is None:
        return render(request, "web/play/invitation.html", context)
    match = block.matches.get()
    if block.state in _DONE or sitting.own is None:
        if match.replay or (sitting.own is None and block.state not in _DONE):
            return redirect("web:match", match.pk)
        is_away = isinstance(block.trouble, BotNotConnected)
        return render(
            request, "web/play/ended.html", context | {"why": block.trouble if is_away else None}
        )
    context |= table_context(sitting, sitting.own)
    context |= {"match": match, "awaited": awaited_at(block), "patience": AWAY_S // 60}
    context |= {"is_first": len(games_of(request)) == 1}
    return render(request, "web/play/table.html", context)


@csrf_exempt
@require_POST
@at_most(GAMES_PER_HOUR, 3600)
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Take a free chair of a game that waits for people."""
    if is_cross_site(request):
        return forbidden(request, PermissionDenied())
    sitting = sitting_of(request, code)
    secret = secret_of(request)
    response = redirect("web:play_game", code)
    try:
        tables.join(sitting.game, tables.key_of(secret), datetime.now(UTC))
    except TableFull:
        return response
    remember(response, secret)
    return response


@csrf_exempt
@require_POST
def answer(request: HttpRequest, code: str) -> HttpResponse:
    """Take a person's answer: 204 if it counts, 409 if not; forms are sent back to the table."""
    sitting = _own(request, code)
    own = sitting.own
    assert own is not None
    decision, action = (_number(request.POST.get(name, "")) for name in ("decision", "action"))
    is_taken = (
        decision is not None
        and action is not None
        and own.asked == decision
        and allows(sitting, own, action)
        and answers.answer(own, decision, action)
    )
    return _said(request, code, is_taken=is_taken)


def _said(request: HttpRequest, code: str, *, is_taken: bool) -> HttpResponse:
    """Answer a script with a status; send a form back to the table."""
    if request.headers.get("X-Requested-With") != "fetch":
        return redirect("web:play_game", code)
    return HttpResponse(status=204 if is_taken else 409)


@csrf_exempt
@require_POST
def leave(request: HttpRequest, code: str) -> HttpResponse:
    """Leave the table for good."""
    sitting = _own(request, code)
    assert sitting.own is not None
    answers.leave(sitting.own.pk)
    return redirect("web:play")


@csrf_exempt
@require_POST
@at_most(ADVICE_PER_HOUR, 3600)
def advice(request: HttpRequest, code: str) -> HttpResponse:
    """Ask what a house bot would do: 204 if the answer will come with the stream, 409 if not."""
    sitting = _own(request, code)
    own = sitting.own
    assert own is not None
    kind = request.POST.get("kind", "")
    is_taken = (
        kind in ADVISERS and own.asked is not None and answers.ask_advice(own.pk, own.asked, kind)
    )
    return _said(request, code, is_taken=is_taken)


@csrf_exempt
@require_POST
@at_most(ADVICE_PER_HOUR, 3600)
def back(request: HttpRequest, code: str) -> HttpResponse:
    """Take back the last decision: 204 if the game is played again up to it, 409 if not."""
    own = _own(request, code).own
    assert own is not None
    return _said(request, code, is_taken=answers.take_back(own))


@require_safe
@never_cache
@at_most(30, 60, method="GET")
def log(request: HttpRequest, code: str) -> HttpResponse:
    """Return the decisions of this person in a finished game as a file."""
    sitting = sitting_of(request, code)
    block = sitting.game.block
    match = None if block is None else passed(Match).filter(block=block, replay__gt="").first()
    if sitting.own is None or match is None:
        raise Http404("There is no log.")
    try:
        content = log_of(match, sitting.own.number)
    except (ReplayStoreError, ReplayError) as problem:
        raise Http404(str(problem)) from None
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="damrak-match-{match.pk}.json"'
    return response


@require_safe
async def stream(request: HttpRequest, code: str) -> HttpResponseBase:
    """Stream what happens at the table as server-sent events, for the person who sits there."""
    sitting = await sync_to_async(sitting_of)(request, code)
    await sync_to_async(close_old_connections)()
    if sitting.own is None or sitting.game.block is None:
        return HttpResponse(status=204)  # makes browsers stop asking
    if MAILBOXES.pages >= MOST_PAGES:
        return HttpResponse(status=503, headers={"Retry-After": "10"})
    place = request.headers.get("Last-Event-ID", "")
    frames = table_stream(sitting, sitting.own, place, get_language() or "en")
    response = StreamingHttpResponse(frames, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    response["Content-Encoding"] = "identity"  # compression would delay the events
    return response


def _own(request: HttpRequest, code: str) -> Sitting:
    """Return the game in which this browser sits.

    Raises:
        PermissionDenied: another site asks.
        Http404: it does not sit there.
    """
    if is_cross_site(request):
        raise PermissionDenied
    sitting = sitting_of(request, code)
    if sitting.own is None:
        raise Http404("This browser has no seat in this game.")
    return sitting


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 18 else None
