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

from damrak_ladder.notices.errors import BadWebhook
from damrak_ladder.notices.kinds import Channel
from damrak_ladder.notices.reading import dead, latest, mark_read
from damrak_ladder.notices.rules import rules_of, set_rule
from damrak_ladder.notices.webhooks import (
    remove_webhook,
    renew_secret,
    set_webhook,
    try_webhook,
    webhook_of,
)
from damrak_ladder.web.access import UserRequest
from damrak_ladder.web.limits import at_most
from damrak_ladder.web.pages import before, page_of

SIZE: Final = 30


@login_required
def notices(request: UserRequest) -> HttpResponse:
    """Show the newest notices, those that could not be sent, and the rules."""
    return _page(request)


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
    messages.success(request, _("Your rules are kept."))
    return HttpResponseRedirect(reverse("web:desk_notices"))


@login_required
@require_POST
@at_most(10, 60)
def change_webhook(request: UserRequest) -> HttpResponse:
    """Set, test, renew or remove the user's webhook; show a new secret once, in the response."""
    user, now = request.user, timezone.now()
    match request.POST.get("do"):
        case "set":
            url = request.POST.get("url", "").strip()
            try:
                return _page(request, secret=set_webhook(user, url, now))
            except BadWebhook as problem:
                return _page(request, webhook_error=str(problem), webhook_url=url)
        case "renew":
            return _page(request, secret=renew_secret(user, now))
        case "try":
            answer = try_webhook(user, now)
            if answer is not None and answer.is_good:
                messages.success(request, _("It answered as it should."))
            elif answer is not None:
                messages.error(request, answer.trouble)
        case "remove":
            if remove_webhook(user):
                messages.success(request, _("Nothing is sent there any more."))
    return HttpResponseRedirect(reverse("web:desk_notices"))


def _page(request: UserRequest, **more: object) -> HttpResponse:
    found = latest(request.user, before(request), SIZE + 1)
    context = {
        "page": page_of(found, SIZE, lambda notice: notice.pk),
        "dead": [(one, Channel(one.channel).label) for one in dead(request.user)],
        "channels": Channel,
        "rules": [
            (rules.kind, [(channel, channel in rules.wanted) for channel in Channel])
            for rules in rules_of(request.user)
        ],
        "webhook": webhook_of(request.user),
        **more,
    }
    response = render(request, "web/desk/notices.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response
