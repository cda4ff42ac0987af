"""The pages on which authors enter their bots and withdraw them."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from damrak_ladder.accounts.models import User
from damrak_ladder.bots.models import Bot
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.access import visible_tournaments
from damrak_ladder.tournaments.entrants import enter, leave
from damrak_ladder.tournaments.entry import is_invited
from damrak_ladder.tournaments.errors import NotEntered, Refused
from damrak_ladder.tournaments.log.state import State
from damrak_ladder.tournaments.log.values import Phase, Standing
from damrak_ladder.tournaments.models import Tournament
from damrak_ladder.web.site.access import UserRequest, own_or_404
from damrak_ladder.web.site.rate_limits import at_most

LONGEST_TOKEN: Final = 80


class EntryForm(forms.Form):
    """The choice of the bot to enter."""

    bot = forms.ChoiceField(label=gettext_lazy("Bot"))
    invitation = forms.CharField(required=False, max_length=LONGEST_TOKEN, widget=forms.HiddenInput)

    def __init__(self, slugs: list[str], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["bot"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(slug, slug) for slug in slugs]


@login_required
@at_most(30, 600)
def enter_bot(request: UserRequest, slug: str) -> HttpResponse:
    """Show the form that enters a bot, and enter it."""
    token = request.POST.get("invitation", "") or request.GET.get("invitation", "")
    tournament = _invited_or_404(request, slug, token.replace("\0", "")[:LONGEST_TOKEN])
    state = journal.state_of(tournament)
    slugs = bots_to_enter(request.user, state)
    form = EntryForm(slugs, request.POST or None, initial={"invitation": token})
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        bot = Bot.objects.get(owner=request.user, slug=said["bot"])
        try:
            enter(tournament, bot, request.user, timezone.now(), said["invitation"])
        except (NotEntered, Refused) as problem:
            form.add_error(None, text_of(problem.message))
        else:
            messages.success(request, _("%(bot)s is entered.") % {"bot": bot.slug})
            return HttpResponseRedirect(reverse("web:tournament", args=[slug]))
    context = {
        "tournament": tournament,
        "form": form,
        "has_bots": bool(slugs),
        "is_open": state.phase is Phase.OPEN,
    }
    return render(request, "web/tournaments/enter.html", context)


@login_required
@at_most(30, 600)
def withdraw_bot(request: UserRequest, slug: str, bot: str) -> HttpResponse:
    """Ask whether a bot should be withdrawn, and withdraw it."""
    tournament = get_object_or_404(visible_tournaments(request.user), slug=slug)
    mine = own_or_404(request, Bot.objects.filter(slug=bot), "a bot's entry")
    state = journal.state_of(tournament)
    if mine.slug not in entered_bots(request.user, state):
        raise Http404
    problem = ""
    if request.method == "POST":
        try:
            leave(tournament, mine, request.user, timezone.now())
        except (NotEntered, Refused) as refusal:
            problem = text_of(refusal.message)
        else:
            messages.success(request, _("%(bot)s is withdrawn.") % {"bot": mine.slug})
            return HttpResponseRedirect(reverse("web:tournament", args=[slug]))
    context = {
        "tournament": tournament,
        "bot": mine,
        "problem": problem,
        "has_begun": bool(state.stages),
    }
    return render(request, "web/tournaments/withdraw.html", context)


def bots_to_enter(user: User, state: State) -> list[str]:
    """Return the slugs of the user's bots that do not take part."""
    entered = [one.bot for one in state.entrants.values() if one.standing is Standing.IN]
    rows = user.bots.exclude(pk__in=entered).order_by("slug")
    return list(rows.values_list("slug", flat=True))


def entered_bots(user: User, state: State) -> list[str]:
    """Return the slugs of the user's bots that take part."""
    entered = [
        one.bot
        for one in state.entrants.values()
        if one.standing is Standing.IN and one.owner == user.pk
    ]
    rows = user.bots.filter(pk__in=entered).order_by("slug")
    return list(rows.values_list("slug", flat=True))


def _invited_or_404(request: UserRequest, slug: str, token: str) -> Tournament:
    """Return a tournament that is visible to the user, or to which the token invites."""
    if found := visible_tournaments(request.user).filter(slug=slug).first():
        return found
    hidden = get_object_or_404(Tournament, slug=slug, phase=Phase.OPEN)
    if not is_invited(hidden, token):
        raise Http404
    return hidden
