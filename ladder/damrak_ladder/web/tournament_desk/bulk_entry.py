"""The page on which an organiser enters many bots at once, with a preview of the whole list."""

from __future__ import annotations

import secrets
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, ngettext

from damrak_ladder.accounts.models import Role
from damrak_ladder.matches.models import Ladder
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.entry_list import (
    MOST,
    Listed,
    enter_all,
    listed,
    names_in,
    names_of_ladder,
    names_of_tournament,
)
from damrak_ladder.tournaments.errors import BadTournament, KeyReused, NotAllowed, Refused, Stale
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.fold import possible_kinds
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.web.site.access import UserRequest, for_role
from damrak_ladder.web.site.fragments import NOTHING
from damrak_ladder.web.site.rate_limits import at_most
from damrak_ladder.web.tournament_desk.act_pages import meanwhile
from damrak_ladder.web.tournament_desk.lookup import own_tournament, own_tournaments

_LONGEST: Final = 30_000
_TOURNAMENTS: Final = 50
"""The number of the user's tournaments that are offered as sources."""


class NamesForm(forms.Form):
    """The bots to enter."""

    names = forms.CharField(
        label=_("Bots"),
        widget=forms.Textarea({"rows": 12, "spellcheck": "false", "autocapitalize": "none"}),
        max_length=_LONGEST,
        help_text=_(
            "One name in each line, or with commas or spaces between them. House bots that do not "
            "exist yet are created: random, greedy, planner, or mcts:iterations=20 for any number."
        ),
    )
    guest = forms.BooleanField(label=_("As guests, who have no place in the table"), required=False)

    def clean_names(self) -> list[str]:
        """Return the names, each once."""
        names = names_in(self.cleaned_data["names"])
        if len(names) > MOST:
            problem = _("These are %(count)s bots; enter at most %(most)s at once.")
            raise forms.ValidationError(problem % {"count": len(names), "most": MOST})
        return names


class SourceForm(forms.Form):
    """A ladder or a tournament whose bots fill the list."""

    source = forms.ChoiceField(label=_("Bots of"))
    first = forms.IntegerField(
        label=_("The first"), required=False, min_value=1, max_value=MOST, help_text=_("Empty: all")
    )

    def __init__(self, request: UserRequest, but: Tournament, *args: Any) -> None:
        super().__init__(*args)
        others = own_tournaments(request).exclude(pk=but.pk).order_by("-pk")[:_TOURNAMENTS]
        self.ladders = {f"ladder:{one.slug}": one for one in Ladder.objects.order_by("pk")}
        self.tournaments = {f"tournament:{one.slug}": one for one in others}
        field = self.fields["source"]
        assert isinstance(field, forms.ChoiceField)
        groups = ((_("Ladders"), self.ladders), (_("Tournaments"), self.tournaments))
        field.choices = [
            ("", NOTHING),
            *((name, [(key, one.name) for key, one in of.items()]) for name, of in groups if of),
        ]

    def names(self) -> list[str]:
        """Return the names of the chosen bots."""
        source, most = self.cleaned_data["source"], self.cleaned_data["first"] or MOST
        if source in self.ladders:
            return names_of_ladder(self.ladders[source], most)
        return names_of_tournament(self.tournaments[source], most)


@for_role(Role.ORGANISER)
@at_most(60, 60)
def enter_many(request: UserRequest, slug: str) -> HttpResponse:
    """Show the list of bots to enter, what would become of each, and enter them together."""
    tournament = own_tournament(request, slug)
    if Kind.ENTER not in possible_kinds(journal.state_of(tournament).phase):
        return HttpResponseRedirect(reverse("web:tournament_desk_entrants", args=[slug]))
    context: dict[str, Any] = {"tournament": tournament}
    if request.method == "POST":
        form = NamesForm(request.POST)
        if form.is_valid():
            if "enter" in request.POST and (done := _enter(request, tournament, form, context)):
                return done
            context |= _preview(request, tournament, form)
    else:
        form = NamesForm()
    source = SourceForm(request, tournament, request.GET if "source" in request.GET else None)
    if source.is_bound and source.is_valid():
        names = source.names()
        form = NamesForm(initial={"names": "\n".join(names)})
        context["is_filled"], context["filled"] = True, len(names)
    return render(
        request, "web/tournament_desk/enter_many.html", context | {"form": form, "source": source}
    )


def _preview(request: UserRequest, tournament: Tournament, form: NamesForm) -> dict[str, Any]:
    """Return the context of the preview."""
    tournament.refresh_from_db()
    return {
        "listed": _listed(tournament, form),
        "serial": tournament.serial,
        "key": secrets.token_urlsafe(12),
        "guest": form.cleaned_data["guest"],
        "names": "\n".join(form.cleaned_data["names"]),
    }


def _listed(tournament: Tournament, form: NamesForm) -> Listed:
    return listed(journal.state_of(tournament), form.cleaned_data["names"])


def _enter(
    request: UserRequest, tournament: Tournament, form: NamesForm, context: dict[str, Any]
) -> HttpResponse | None:
    """Enter the confirmed bots; on a refusal, add the reason to the context of a new preview."""
    serial, key = _confirmed(request)
    entrants = HttpResponseRedirect(reverse("web:tournament_desk_entrants", args=[tournament.slug]))
    if tournament.acts.filter(key=f"{key}-0").exists():
        return entrants  # they are entered, and the button was pressed twice
    try:
        count = enter_all(
            tournament,
            _listed(tournament, form).new,
            is_guest=form.cleaned_data["guest"],
            is_beyond="beyond" in request.POST,
            actor=request.user,
            serial=serial,
            key=key,
            now=timezone.now(),
        )
    except Stale:
        context["meanwhile"] = meanwhile(tournament, serial)
    except (BadTournament, KeyReused, NotAllowed, Refused) as problem:
        context["refused"] = text_of(problem.message)
    else:
        said = ngettext("%(count)s bot is entered.", "%(count)s bots are entered.", count)
        messages.success(request, said % {"count": count})
        return entrants
    return None


def _confirmed(request: HttpRequest) -> tuple[int, str]:
    serial, key = request.POST.get("serial", "")[:12], request.POST.get("key", "")[:60]
    if not (serial.isascii() and serial.isdigit()) or not key or "\0" in key:
        raise Http404
    return int(serial), key
