"""Desk pages of the user's bots and their versions, and the actions on them."""

from __future__ import annotations

import re
from typing import Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Max, Q
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from damrak_ladder.accounts.errors import TooOften
from damrak_ladder.bots.errors import NotQualified, Overtaken, SameContent
from damrak_ladder.bots.journey import journey
from damrak_ladder.bots.models import Bot, Kind, State, Version
from damrak_ladder.bots.submission import storage_of
from damrak_ladder.matches.entries import enter, leave
from damrak_ladder.matches.errors import NotAdmitted
from damrak_ladder.matches.models import BlockState, Ladder, Purpose
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.pipeline.outcome.bundles import can_repeat
from damrak_ladder.pipeline.outcome.promotion import make_live as go_live
from damrak_ladder.pipeline.queue.forecast import place_of
from damrak_ladder.pipeline.submission import try_again
from damrak_ladder.play.opponents import is_open, set_open
from damrak_ladder.standings.read.shadow_games import canary_estimate
from damrak_ladder.tournaments.visibility import visible_blocks, visible_seats
from damrak_ladder.trials import canaries
from damrak_ladder.trials.errors import TrialError
from damrak_ladder.trials.models import Canary, CanaryState
from damrak_ladder.web.bot.profile import ratings_of
from damrak_ladder.web.site.access import UserRequest, may_see_inside, refuse
from damrak_ladder.web.site.pagination import before, page_of
from damrak_ladder.web.site.rate_limits import at_most, too_often

UNDER_WAY: Final = frozenset({State.CHECKING, State.QUALIFYING})
"""States in which more will happen soon without the user."""

SIZE: Final = 50
GAMES: Final = 20


@login_required
def desk(request: UserRequest) -> HttpResponse:
    """Show all bots of the user, each with its live version and its newest one."""
    bots = list(Bot.objects.filter(owner=request.user).select_related("live").order_by("slug"))
    keys = Version.objects.filter(bot__in=bots).values("bot").annotate(key=Max("pk"))
    newest = {
        version.bot_id: version
        for version in Version.objects.filter(pk__in=[row["key"] for row in keys])
    }
    ratings = ratings_of(bot.live_id for bot in bots if bot.live_id)
    context = {
        "bots": [(bot, newest.get(bot.pk), ratings.get(bot.live_id or 0, [])) for bot in bots],
        "limits": settings.DAMRAK_LIMITS,
        "storage": storage_of(request.user),
    }
    return render(request, "web/desk/desk.html", context)


@login_required
def bot(request: UserRequest, slug: str) -> HttpResponse:
    """Show one bot of the user, with its versions."""
    found = _mine(request, slug)
    versions = found.versions.filter(number__lt=before(request)).order_by("-number")
    here = set(found.entries.filter(left=None).values_list("ladder_id", flat=True))
    open_ladders = Ladder.objects.filter(Q(is_open=True) | Q(pk__in=here)).order_by("slug")
    context = {
        "bot": found,
        "page": page_of(list(versions[: SIZE + 1]), SIZE, lambda version: version.number),
        "ladders": [(ladder, ladder.pk in here) for ladder in open_ladders],
        "plays_people": is_open(found),
        "is_remote": found.versions.filter(kind=Kind.REMOTE).exists(),
    }
    return render(request, "web/desk/bot.html", context)


@login_required
@require_POST
@at_most(30, 60)
def change_entry(request: UserRequest, slug: str, ladder: str) -> HttpResponse:
    """Enter one of the user's bots on a ladder, or withdraw it."""
    found = _mine(request, slug)
    on = get_object_or_404(Ladder, slug=ladder)
    now = timezone.now()
    if request.POST.get("do") == "leave":
        leave(on, found, now)
        words = _("%(bot)s has left %(ladder)s. Its results are kept.")
        messages.success(request, words % {"bot": slug, "ladder": on.name})
    else:
        try:
            enter(on, found, now)
        except NotAdmitted as problem:
            messages.error(request, text_of(problem.message))
        else:
            words = _("%(bot)s has entered %(ladder)s.")
            messages.success(request, words % {"bot": slug, "ladder": on.name})
    return HttpResponseRedirect(reverse("web:desk_bot", args=[slug]))


@login_required
@require_POST
@at_most(30, 60)
def change_people(request: UserRequest, slug: str) -> HttpResponse:
    """Let people play against one of the user's bots, or no longer."""
    found = _mine(request, slug)
    set_open(found, is_to_be_open=request.POST.get("do") == "allow", now=timezone.now())
    return HttpResponseRedirect(reverse("web:desk_bot", args=[slug]))


@login_required
def version(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a version and its journey, or only the journey if the page polls for updates."""
    found = get_object_or_404(_mine(request, slug).versions, number=number)
    context: dict[str, object] = {
        "bot": found.bot,
        "version": found,
        "steps": journey(found),
        "is_under_way": found.state in UNDER_WAY,
        "may_try_again": _may_try_again(found),
        "can_repeat": can_repeat(found),
    }
    waiting = (
        visible_blocks(request.user)
        .filter(subject=found, purpose=Purpose.QUALIFICATION, state=BlockState.WAITING)
        .first()
    )
    if waiting is not None:
        context["queued"] = place_of(waiting.pk, timezone.now())
    if getattr(request, "htmx", False):
        return render(request, "web/desk/_journey.html", context)
    kept = list(Canary.objects.filter(version=found).select_related("ladder", "version__bot"))
    context["canaries"] = [
        (one, canaries.played(one), canary_estimate(found, one.ladder)) for one in kept
    ]
    games = visible_seats(request.user).filter(version=found, result__isnull=False)
    games = games.select_related("match__block__ladder", "result", "version__bot")
    context["games"] = games.order_by("-pk")[:GAMES]
    context["is_canary"] = any(one.state == CanaryState.RUNNING for one in kept)
    return render(request, "web/desk/version.html", context)


@login_required
@at_most(20, 60)
def make_live(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask for a confirmation, then make this version live."""
    found = get_object_or_404(_mine(request, slug).versions, number=number)
    if request.method != "POST":
        return render(request, "web/desk/make_live.html", {"bot": found.bot, "version": found})
    expected = request.POST.get("expected", "")
    try:
        go_live(
            found,
            int(expected) if re.fullmatch("[0-9]{1,18}", expected) else None,
            timezone.now(),
            request.user,
        )
    except NotQualified:
        messages.error(request, _("Only a qualified version can be live."))
    except Overtaken:
        messages.error(
            request, _("Another version has gone live in the meantime. Check it and decide again.")
        )
    else:
        messages.success(request, _("Version %(number)s is live now.") % {"number": found.number})
    return HttpResponseRedirect(reverse("web:desk_bot", args=[slug]))


@login_required
@require_POST
def qualify_again(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Let a failed remote version qualify again."""
    found = get_object_or_404(_mine(request, slug).versions, number=number)
    try:
        try_again(found.bot, number, timezone.now())
    except TooOften as problem:
        return too_often(request, problem)
    except (SameContent, Overtaken):
        pass  # its page shows the current state
    return HttpResponseRedirect(reverse("web:desk_version", args=[slug, number]))


@login_required
@require_POST
@at_most(20, 60)
def canary(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Start or end shadow games of this version."""
    found = get_object_or_404(_mine(request, slug).versions, number=number)
    now = timezone.now()
    if request.POST.get("do") == "end":
        canaries.cancel(found, now)
        messages.success(request, _("The canary has ended. Its estimate is kept."))
    else:
        try:
            begun = [
                canaries.begin(found, ladder, now).ladder.name
                for ladder in canaries.ladders_for(found)
            ]
        except TrialError as problem:
            messages.error(request, text_of(problem.message))
        else:
            words = _("It plays shadow games on: %(ladders)s.") % {"ladders": ", ".join(begun)}
            messages.success(request, words if begun else _("No open ladder accepts this bot."))
    return HttpResponseRedirect(reverse("web:desk_version", args=[slug, number]))


def _may_try_again(version: Version) -> bool:
    if version.kind != Kind.REMOTE or version.state != State.FAILED:
        return False
    return not version.bot.versions.filter(number__gt=version.number).exists()


def _mine(request: UserRequest, slug: str) -> Bot:
    found = get_object_or_404(Bot.objects.select_related("live", "owner"), slug=slug)
    if not may_see_inside(request.user, found.owner_id):
        refuse(request, f"bot {slug}")
        raise PermissionDenied
    return found
