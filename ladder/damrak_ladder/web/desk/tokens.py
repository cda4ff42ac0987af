"""Desk pages for the user's API tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from damrak_ladder.accounts.errors import TokenNameTaken, TooManyTokens
from damrak_ladder.accounts.models import ApiToken, Role, Scope, User
from damrak_ladder.accounts.roles import has_role
from damrak_ladder.accounts.second_factor import lacks_second_factor
from damrak_ladder.accounts.tokens import issue, revoke
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.web.site.access import UserRequest, after_confirmation, own_or_404
from damrak_ladder.web.site.rate_limits import at_most

SCOPES = [
    (Scope.READ, gettext_lazy("read: see everything that you can see")),
    (Scope.SUBMIT, gettext_lazy("submit: create bots and versions")),
    (Scope.PLAY, gettext_lazy("play: connect a remote bot")),
    (Scope.SETTINGS, gettext_lazy("settings: change notices, the webhook and the language")),
    (
        Scope.ORGANISE,
        gettext_lazy("organise: use the permissions of an organiser, if you have them"),
    ),
    (Scope.ROLES, gettext_lazy("roles: change the roles of users, while the token is new")),
    (Scope.TOURNAMENTS_RUN, gettext_lazy("tournaments:run: create and run tournaments")),
    (
        Scope.TOURNAMENTS_READ_HIDDEN,
        gettext_lazy("tournaments:read-hidden: see results before their release"),
    ),
]


class TokenForm(forms.Form):
    """The name, scopes and lifetime of a new token."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy("The program that uses the token, such as “laptop” or “CI”."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Permissions"),
        choices=SCOPES,
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.READ, Scope.SUBMIT],
    )
    days = forms.IntegerField(
        label=gettext_lazy("Days until it expires"),
        min_value=1,
        max_value=3650,
        initial=365,
        required=False,
        help_text=gettext_lazy("Leave empty for a token that never expires."),
    )

    def __init__(self, user: User, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not has_role(user, Role.STAFF):
            scopes = self.fields["scopes"]
            assert isinstance(scopes, forms.MultipleChoiceField)
            scopes.choices = [one for one in SCOPES if one[0] is not Scope.ROLES]


@login_required
@after_confirmation()
@at_most(20, 600)
def tokens(request: UserRequest) -> HttpResponse:
    """Show the user's tokens, and a form for a new one, which is shown once, in the response."""
    form = TokenForm(request.user, request.POST or None)
    context: dict[str, object] = {"form": form}
    is_good = request.method == "POST" and form.is_valid()
    if is_good and _is_premature(request.user, form.cleaned_data["scopes"]):
        words = _("Set up a second factor first: your role is suspended until then.")
        form.add_error("scopes", words)
    elif is_good:
        said = form.cleaned_data
        lifetime = timedelta(days=said["days"]) if said["days"] else None
        try:
            token, secret = issue(
                request.user, said["name"], said["scopes"], timezone.now(), lifetime
            )
        except TokenNameTaken as problem:
            form.add_error("name", text_of(problem.message))
        except TooManyTokens as problem:
            form.add_error(None, text_of(problem.message))
        else:
            context |= {"token": token, "secret": secret, "form": TokenForm(request.user)}
    kept = ApiToken.objects.filter(owner=request.user, revoked=None).order_by("-pk")
    context |= {"tokens": kept, "now": timezone.now()}
    response = render(request, "web/desk/tokens.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


def _is_premature(user: User, scopes: list[str]) -> bool:
    """Return whether the token would use a suspended role as soon as that is restored."""
    return bool({Scope.ORGANISE, Scope.ROLES} & set(scopes)) and lacks_second_factor(user)


@login_required
@at_most(30, 60)
def revoke_token(request: UserRequest, pk: int) -> HttpResponse:
    """Ask for a confirmation, then revoke this token."""
    token = own_or_404(request, ApiToken.objects.filter(pk=pk, revoked=None), f"token {pk}")
    if request.method != "POST":
        return render(request, "web/desk/revoke_token.html", {"token": token})
    revoke(request.user, token.pk, timezone.now())
    messages.success(request, _("The token %(name)s was revoked.") % {"name": token.name})
    return HttpResponseRedirect(reverse("web:desk_tokens"))
