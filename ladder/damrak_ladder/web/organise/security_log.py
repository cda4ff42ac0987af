"""The page of the security log, for staff."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from damrak_ladder.accounts.models import Role
from damrak_ladder.security import SecurityEvent
from damrak_ladder.security.queries import entries
from damrak_ladder.web.site.access import UserRequest, for_role
from damrak_ladder.web.site.pagination import before, page_of

SIZE: Final = 50


def _moment(label: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    return forms.DateTimeField(label=label, required=False, widget=widget)


class FilterForm(forms.Form):
    """The filter of the security log."""

    kind = forms.ChoiceField(
        label=_("Event"), required=False, choices=[("", _("all")), *SecurityEvent.choices]
    )
    user = forms.CharField(label=_("User"), required=False, max_length=150)
    address = forms.CharField(label=_("Address"), required=False, max_length=60)
    since = _moment(_("From (UTC)"))
    until = _moment(_("Until (UTC)"))


@for_role(Role.STAFF)
def security_log(request: UserRequest) -> HttpResponse:
    """Show the events that match the filter, newest first."""
    form = FilterForm(request.GET)
    wanted: dict[str, Any] = form.cleaned_data if form.is_valid() else {}
    rows = entries(**wanted).filter(pk__lt=before(request)).select_related("user")
    context = {
        "form": form,
        "page": page_of(list(rows[: SIZE + 1]), SIZE, lambda row: row.pk),
        "filter": urlencode({name: _text(value) for name, value in wanted.items() if value}),
        "is_filtered": any(wanted.values()),
        "days": settings.DAMRAK_KEEPING.security,
    }
    response = render(request, "web/organise/security_log.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M")
    return str(value)
