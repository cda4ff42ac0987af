"""Account pages: second factor, sessions, download of personal data, and deletion."""

from __future__ import annotations

import json

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_POST

from damrak_ladder.account_data import deletion, export
from damrak_ladder.accounts import sessions
from damrak_ladder.accounts.errors import LastAdministrator
from damrak_ladder.accounts.second_factor import lacks_second_factor
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.web.site.access import UserRequest, after_confirmation, refuse
from damrak_ladder.web.site.rate_limits import at_most


class DeletionForm(forms.Form):
    """The form that confirms a deletion by the user name."""

    name = forms.CharField(
        label=gettext_lazy("Your user name, to confirm"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )

    def __init__(self, username: str, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]  # passed on to Django unchanged
        self._username = username

    def clean_name(self) -> str:
        """Return the name.

        Raises:
            ValidationError: it is not the user's name.
        """
        name: str = self.cleaned_data["name"]
        if name != self._username:
            raise forms.ValidationError(_("This is not your user name."))
        return name


@login_required
def second_factor(request: UserRequest) -> HttpResponse:
    """Show why a second factor is needed, and how to set one up."""
    context = {"is_needed": lacks_second_factor(request.user)}
    return render(request, "web/account/second_factor.html", context)


@login_required
@require_POST
@at_most(60, 60)
def end_session(request: UserRequest, pk: int) -> HttpResponse:
    """End one of the user's sessions."""
    if not sessions.end_session(request.user, pk):
        refuse(request, f"session {pk}")
        raise Http404
    messages.success(request, _("The session has ended."))
    return HttpResponseRedirect(reverse("usersessions_list"))


@login_required
def data(request: UserRequest) -> HttpResponse:
    """Show what can be downloaded, and the link to delete the account."""
    return render(request, "web/account/data.html")


@login_required
@require_POST
@after_confirmation()
@at_most(10, 3600)
def download(request: UserRequest) -> HttpResponse:
    """Return a file with all data stored about the user."""
    text = json.dumps(export.export(request.user, timezone.now()), indent=2, ensure_ascii=False)
    response = HttpResponse(text + "\n", content_type="application/json; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="damrak-account.json"'
    response.headers["Cache-Control"] = "no-store"
    return response


@login_required
@after_confirmation()
@at_most(10, 3600)
def delete(request: UserRequest) -> HttpResponse:
    """Explain the consequences, ask for a confirmation, and delete the user's account."""
    form = DeletionForm(request.user.username, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            deletion.delete_account(request.user, timezone.now())
        except LastAdministrator as problem:
            form.add_error(None, text_of(problem.message))
        else:
            request.session.flush()
            messages.success(request, _("Your account is deleted."))
            return HttpResponseRedirect(reverse("web:home"))
    context = {"form": form, "bots": request.user.bots.order_by("slug")}
    return render(request, "web/account/delete.html", context)
