"""The user's notices, and the rules for which notices are sent where."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from damrak_ladder.notices.inbox import dead, latest, mark_read
from damrak_ladder.notices.kinds import Channel
from damrak_ladder.notices.results import without_results
from damrak_ladder.notices.rules import rules_of, set_rule
from damrak_ladder.web.site.access import UserRequest
from damrak_ladder.web.site.pagination import before, page_of
from damrak_ladder.web.site.rate_limits import at_most

SIZE: Final = 30


@login_required
@require_POST
@at_most(30, 60)
def read_notices(request: UserRequest) -> HttpResponse:
    """Mark all notices as read."""
    mark_read(request.user, timezone.now())
    return HttpResponseRedirect(reverse("web:desk_notices"))


@login_required
@require_POST
@at_most(30, 60)
def set_rules(request: UserRequest) -> HttpResponse:
    """Save the ticked rules; rules that are not ticked are turned off."""
    ticked = set(request.POST.getlist("wanted"))
    for rules in rules_of(request.user):
        for channel in Channel:
            is_wanted = f"{rules.kind}:{channel}" in ticked
            if is_wanted != (channel in rules.wanted):
                set_rule(request.user, rules.kind, channel, is_wanted)
    messages.success(request, _("Settings saved."))
    return HttpResponseRedirect(reverse("web:desk_notices"))


@login_required
def notices(request: UserRequest) -> HttpResponse:
    """Show the newest notices, those that could not be sent, and the rules."""
    found = latest(request.user, before(request), SIZE + 1)
    page = page_of(found, SIZE, lambda notice: notice.pk)
    context = {
        "page": page,
        "rows": [(notice, *without_results(notice)) for notice in page.rows],
        "dead": [
            (one, without_results(one.notice)[0], Channel(one.channel).label)
            for one in dead(request.user)
        ],
        "channels": Channel,
        "rules": [
            (rules.kind, [(channel, channel in rules.wanted) for channel in Channel])
            for rules in rules_of(request.user)
        ],
    }
    response = render(request, "web/desk/notices.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response
