"""The page of predictions, and the form beside broadcasts."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from asgiref.sync import sync_to_async
from django.core.exceptions import PermissionDenied
from django.db import close_old_connections
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from damrak_ladder.accounts.budgets import spend
from damrak_ladder.accounts.errors import TooOften
from damrak_ladder.matches.models import BlockState, Match
from damrak_ladder.predictions.acceptance import Answer, answer_of, coming, predict, predictable
from damrak_ladder.predictions.models import Forecaster
from damrak_ladder.predictions.scores import FEWEST, PRIOR
from damrak_ladder.tournaments.visibility import visible_matches
from damrak_ladder.web.predictions.memory import Memory, recall, remember
from damrak_ladder.web.predictions.picks import picks_of
from damrak_ladder.web.replays.live import STUDIO
from damrak_ladder.web.site.access import is_known
from damrak_ladder.web.site.errors import forbidden
from damrak_ladder.web.site.rate_limits import is_cross_site, too_often, who

LISTED: Final = 50
OWN: Final = 20
_TIMES: Final = 60  # per minute


@require_safe
@never_cache
def predictions(request: HttpRequest) -> HttpResponse:
    """Show the next games, the best forecasters, and the reader's own predictions."""
    user = request.user
    if is_known(user):
        rows = user.predictions.order_by("-pk")
        keys = list(rows.values_list("match", flat=True)[:OWN])
    else:
        keys = list(recall(request))[-OWN:]
    own = _full(visible_matches(None).filter(pk__in=keys))
    best = Forecaster.objects.filter(predictions__gte=FEWEST).select_related("user")
    context = {
        "coming": picks_of(request, _full(coming())),
        "own": sorted(picks_of(request, own), key=lambda pick: -pick.match),
        "forecasters": best.order_by("-skill", "user")[:LISTED],
        "me": Forecaster.objects.filter(user=user).first() if is_known(user) else None,
        "fewest": FEWEST,
        "prior": PRIOR,
    }
    return render(request, "web/predictions/predictions.html", context)


@csrf_exempt  # a token would give every visitor a cookie; `is_cross_site` is enough
@require_POST
async def predict_winner(request: HttpRequest, pk: int) -> HttpResponse:
    """Predict the winner; the position of the game at the referee decides whether it counts."""
    found = await sync_to_async(_begin)(request, pk)
    if isinstance(found, HttpResponse):
        return found
    turns = None
    if found.block.state == BlockState.RUNNING:
        await sync_to_async(close_old_connections)()  # waiting must not hold a connection
        turns = await STUDIO.turns(pk)
    return await sync_to_async(_finish)(request, found, turns)


def _begin(request: HttpRequest, pk: int) -> Match | HttpResponse:
    if is_cross_site(request):
        return forbidden(request, PermissionDenied())
    try:
        spend("web-predict", who(request), _TIMES, 60)
    except TooOften as problem:
        return too_often(request, problem)
    match = predictable(pk)
    if match is None:
        raise Http404
    return match


def _finish(request: HttpRequest, match: Match, turns: int | None) -> HttpResponse:
    asked = request.POST.get("seat", "")
    seat = int(asked) if asked in set("0123") else -1
    fresh = _full(visible_matches(None).filter(pk=match.pk))
    if not fresh:
        raise Http404
    memory = {} if is_known(request.user) else recall(request)
    if is_known(request.user):
        is_taken = predict(request.user, fresh[0], seat, turns, timezone.now()) is not Answer.LATE
    else:
        seats = fresh[0].seats.all()
        answer = answer_of(fresh[0].block, len(seats), turns, timezone.now())
        is_taken = seat in range(len(seats)) and answer is not Answer.LATE
        if is_taken:
            memory.setdefault(fresh[0].pk, seat)
    response = _answer(request, fresh[0], memory, is_late=not is_taken)
    if is_taken and not is_known(request.user):
        remember(request, response, memory)
    return response


def _answer(request: HttpRequest, match: Match, memory: Memory, *, is_late: bool) -> HttpResponse:
    place = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(place, {request.get_host()}, request.is_secure()):
        place = reverse("web:match", args=[match.pk])
    if not request.headers.get("HX-Request"):
        return HttpResponseRedirect(place)
    pick = picks_of(request, [match], memory)[0]
    # The broadcast goes on, so the result must not be shown although it may be public.
    pick = replace(pick, is_late=is_late and pick.seat is None, winners=frozenset())
    return render(request, "web/predictions/_prediction.html", {"pick": pick, "next": place})


def _full(matches: QuerySet[Match, Match]) -> list[Match]:
    full = matches.select_related("block__ladder")
    return list(full.prefetch_related("seats__result", "seats__version__bot"))
