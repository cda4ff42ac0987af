"""The page with the invitation link and the organisers of a tournament."""

from __future__ import annotations

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy as _

from damrak_ladder.accounts.models import Role, User
from damrak_ladder.accounts.roles import has_role
from damrak_ladder.tournaments.creation import rotate_invitation
from damrak_ladder.tournaments.models import Organiser
from damrak_ladder.web.site.access import UserRequest, for_role
from damrak_ladder.web.site.rate_limits import at_most
from damrak_ladder.web.tournament_desk.lookup import own_tournament


class OrganiserForm(forms.Form):
    """The name of a further organiser."""

    name = forms.CharField(label=_("User name"), max_length=150)

    def clean_name(self) -> User:
        """Return the user of this name, who must have the role."""
        name = self.cleaned_data["name"]
        user = User.objects.filter(username__iexact=name, is_active=True).first()
        if user is None or not has_role(user, Role.ORGANISER):
            raise forms.ValidationError(gettext("No organiser has this user name."))
        return user


@for_role(Role.ORGANISER)
@at_most(30, 600)
def people(request: UserRequest, slug: str) -> HttpResponse:
    """Show the organisers; add or remove one, or replace the invitation link."""
    tournament = own_tournament(request, slug)
    do = request.POST.get("do", "") if request.method == "POST" else ""
    form, link = OrganiserForm(request.POST if do == "add" else None), ""
    if do == "invite":
        path = reverse("web:tournament_enter", args=[slug])
        link = request.build_absolute_uri(f"{path}?invitation={rotate_invitation(tournament)}")
    elif do == "add" and form.is_valid():
        user = form.cleaned_data["name"]
        if user.pk != tournament.owner_id:
            Organiser.objects.get_or_create(tournament=tournament, user=user)
        form = OrganiserForm()
    elif do == "remove":
        gone = tournament.organisers.filter(user__username=request.POST.get("name", ""))
        gone.delete()
    context = {
        "tournament": tournament,
        "slug": slug,
        "form": form,
        "link": link,
        "organisers": tournament.organisers.select_related("user").order_by("pk"),
    }
    return render(request, "web/tournament_desk/people.html", context)
