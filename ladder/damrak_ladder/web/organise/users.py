"""The pages of users and their roles, for staff."""

from __future__ import annotations

from typing import Final

from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy

from damrak_ladder.accounts.errors import LastAdministrator
from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import change_role
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.web.site.access import UserRequest, after_confirmation, for_role
from damrak_ladder.web.site.rate_limits import at_most

SHOWN: Final = 50

ROLES: Final = {
    Role.AUTHOR: gettext_lazy("author: has bots"),
    Role.ORGANISER: gettext_lazy("organiser: manages blocks and hosts"),
    Role.STAFF: gettext_lazy("staff: sees all bots and logs, and changes roles"),
}


class RoleForm(forms.Form):
    """The form that changes a user's role."""

    role = forms.ChoiceField(
        label=gettext_lazy("Role"), choices=list(ROLES.items()), widget=forms.RadioSelect
    )


@for_role(Role.STAFF)
def users(request: UserRequest) -> HttpResponse:
    """Show organisers and staff, or the users whose name begins with the search text."""
    asked = request.GET.get("q", "").replace("\0", "").strip()[:60]
    # Accounts of the platform itself have no email address and are not used to sign in.
    found = User.objects.exclude(email="").order_by("username")
    found = found.filter(username__istartswith=asked) if asked else found.filter(is_organiser=True)
    factors = Authenticator.objects.filter(user=OuterRef("pk"))
    rows = found.annotate(has_factor=Exists(factors))[: SHOWN + 1]
    context = {"asked": asked, "users": rows[:SHOWN], "is_cut": len(rows) > SHOWN}
    return render(request, "web/organise/users.html", context)


@for_role(Role.STAFF)
@after_confirmation()
@at_most(30, 600)
def change(request: UserRequest, pk: int) -> HttpResponse:
    """Show a user's role, and change it."""
    user = get_object_or_404(User.objects.exclude(email=""), pk=pk)
    form = RoleForm(request.POST or None, initial={"role": user.role})
    if request.method == "POST" and form.is_valid():
        try:
            change_role(user, Role(form.cleaned_data["role"]))
        except LastAdministrator as problem:
            form.add_error("role", text_of(problem.message))
        else:
            messages.success(request, _("The role of %(name)s was changed.") % {"name": user})
            return HttpResponseRedirect(reverse("web:users"))
    return render(request, "web/organise/change_role.html", {"of": user, "form": form})
