"""Pages for organisers: blocks that were given up, and quarantined hosts."""

from __future__ import annotations

import json

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from damrak_ladder.accounts.models import Role
from damrak_ladder.matches.attempts import requeue
from damrak_ladder.matches.hosts import trust
from damrak_ladder.matches.models import BlockState, Host, HostState
from damrak_ladder.time_ordered_ids import short_form
from damrak_ladder.tournaments.visibility import visible_blocks
from damrak_ladder.web.block import lists
from damrak_ladder.web.site.access import UserRequest, for_role
from damrak_ladder.web.site.pagination import before, page_of
from damrak_ladder.web.site.rate_limits import at_most

SIZE = 30


@for_role(Role.ORGANISER)
def organise(request: UserRequest) -> HttpResponse:
    """Show dead blocks and quarantined hosts."""
    dead = (
        visible_blocks(request.user)
        .filter(state=BlockState.DEAD, pk__lt=before(request))
        .order_by("-pk")
    )
    context = {
        "page": page_of(lists.listed(dead[: SIZE + 1]), SIZE, lambda row: row.pk),
        "hosts": Host.objects.filter(state=HostState.QUARANTINED).order_by("name"),
    }
    return render(request, "web/organise/organise.html", context)


@for_role(Role.ORGANISER)
@require_POST
@at_most(60, 60)
def requeue_block(request: UserRequest, pk: int) -> HttpResponse:
    """Queue a dead block again."""
    number = {"number": short_form(pk)}
    is_seen = visible_blocks(request.user).filter(pk=pk).exists()
    if is_seen and requeue(pk, timezone.now()):
        messages.success(request, _("Block %(number)s is queued again.") % number)
    else:
        messages.warning(request, _("Block %(number)s had not failed.") % number)
    return HttpResponseRedirect(reverse("web:organise"))


@for_role(Role.ORGANISER)
@at_most(60, 60)
def trust_host(request: UserRequest, pk: int) -> HttpResponse:
    """Show why the host is quarantined, ask for a confirmation, and trust it again."""
    host = get_object_or_404(Host, pk=pk, state=HostState.QUARANTINED)
    if request.method != "POST":
        evidence = json.dumps(host.evidence, indent=2, ensure_ascii=False)
        context = {"host": host, "evidence": evidence if host.evidence else ""}
        return render(request, "web/organise/trust_host.html", context)
    trust(host.pk, timezone.now())
    messages.success(request, _("%(host)s is trusted again.") % {"host": host.name})
    return HttpResponseRedirect(reverse("web:organise"))
