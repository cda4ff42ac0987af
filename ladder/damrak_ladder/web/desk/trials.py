"""Desk pages of tests between versions, and of canaries."""

from __future__ import annotations

from dataclasses import dataclass
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
from damrak_ladder.bots.models import State, Version
from damrak_ladder.matches.models import BlockState, Ladder
from damrak_ladder.message_codes.journey_codes import QualificationGivenUp
from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.pipeline.queue.forecast import held_back
from damrak_ladder.pipeline.queue.trial_forecast import forecasts
from damrak_ladder.tournaments.visibility import visible_blocks
from damrak_ladder.trials import burst
from damrak_ladder.trials.errors import TrialError
from damrak_ladder.trials.models import Trial, TrialState
from damrak_ladder.trials.trials import (
    MOST_BLOCKS,
    Bounds,
    Progress,
    cancel,
    progress,
    progress_of,
    start,
)
from damrak_ladder.web.block import lists
from damrak_ladder.web.site.access import UserRequest, may_see_inside, refuse
from damrak_ladder.web.site.pagination import before, page_of
from damrak_ladder.web.site.rate_limits import at_most

SIZE: Final = 15
_BAR: Final = 240.0


class TrialForm(forms.Form):
    """The form of a test: both versions, and how certain the answer must be."""

    candidate = forms.ModelChoiceField(
        label=gettext_lazy("Candidate"), queryset=Version.objects.none()
    )
    own = forms.ModelChoiceField(
        label=gettext_lazy("Baseline"),
        queryset=Version.objects.none(),
        required=False,
        empty_label=gettext_lazy("another bot, named below"),
    )
    rival = forms.CharField(
        label=gettext_lazy("Or the live version of this bot"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("The name of any bot, such as “house-greedy”."),
    )
    ladder = forms.ModelChoiceField(
        label=gettext_lazy("Ladder"),
        queryset=Ladder.objects.none(),
        empty_label=None,
    )
    elo1 = forms.FloatField(
        label=gettext_lazy("Smallest Elo lead that matters"),
        initial=Bounds().elo1,
        min_value=1,
        max_value=1000,
        help_text=gettext_lazy("The smaller the lead, the longer the test."),
    )
    most = forms.IntegerField(
        label=gettext_lazy("Maximum number of blocks"),
        initial=Bounds().most,
        min_value=1,
        max_value=MOST_BLOCKS,
    )

    def __init__(self, owner: User, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        tried = Version.objects.filter(state__in=(State.QUALIFIED, State.BENCHED))
        mine = tried.filter(bot__owner=owner).select_related("bot").order_by("-pk")
        self._offer("candidate", mine)
        self._offer("own", mine)
        self._offer("ladder", Ladder.objects.filter(is_open=True).order_by("-weight", "slug"))

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if said.get("own") is None and (name := said.get("rival", "").strip()):
            live = Version.objects.filter(live_in__slug=name).select_related("bot").first()
            if live is None:
                self.add_error("rival", _("There is no bot of that name with a live version."))
            said["own"] = live
        elif said.get("own") is None:
            self.add_error("own", _("Choose a version, or enter the name of a bot."))
        return said

    def _offer(self, name: str, choices: Any) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = choices
        field.label_from_instance = _label  # type: ignore[method-assign,assignment]


def _label(choice: Version | Ladder) -> str:
    return choice.name if isinstance(choice, Ladder) else f"{choice.bot.slug} v{choice.number}"


@dataclass(frozen=True, slots=True)
class TrialShown:
    """A test, its progress, and the position of the evidence on the bar between the verdicts."""

    trial: Trial
    progress: Progress

    @property
    def x(self) -> str:
        """Return the position of the evidence on the bar."""
        low, high = self.progress.lower, self.progress.upper
        share = (min(max(self.progress.llr, low), high) - low) / (high - low)
        return f"{6 + share * (_BAR - 12):.1f}"

    @property
    def middle(self) -> str:
        """Return the position on the bar at which the evidence favours neither side."""
        low, high = self.progress.lower, self.progress.upper
        return f"{6 + -low / (high - low) * (_BAR - 12):.1f}"

    @property
    def is_running(self) -> bool:
        """Return whether the test is still running."""
        return self.trial.state == TrialState.RUNNING


@login_required
@at_most(20, 600)
def trials(request: UserRequest) -> HttpResponse:
    """Show the user's tests, and a form for a new one."""
    asked = {name: request.GET.get(name) for name in ("candidate", "own", "rival")}
    form = TrialForm(request.user, request.POST or None, initial=asked)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            begun = start(
                request.user,
                said["candidate"],
                said["own"],
                said["ladder"],
                Bounds(elo1=said["elo1"], most=said["most"]),
                timezone.now(),
            )
        except TrialError as problem:
            form.add_error(None, text_of(problem.message))
        else:
            return HttpResponseRedirect(reverse("web:desk_test", args=[begun.pk]))
    mine = _trials().filter(owner=request.user, pk__lt=before(request)).order_by("-pk")
    page = page_of(list(mine[: SIZE + 1]), SIZE, lambda trial: trial.pk)
    known = progress_of(page.rows)
    context = {
        "form": form,
        "burst": burst.BLOCKS,
        "page": page,
        "rows": [TrialShown(trial, known[trial.pk]) for trial in page.rows],
    }
    return render(request, "web/desk/trials.html", context)


@login_required
def trial(request: UserRequest, pk: int) -> HttpResponse:
    """Show the state of a test, as a fragment if the page polls for it."""
    found = _mine(request, pk)
    newest = lists.listed(
        visible_blocks(request.user).filter(trial_block__trial=found).order_by("-pk")[:10]
    )
    shown = TrialShown(found, progress(found))
    context: dict[str, object] = {"shown": shown, "trial": found, "blocks": newest}
    if shown.is_running:
        context["forecast"] = forecasts([found], timezone.now()).get(found.pk)
        context["held"] = held_back([found.candidate, found.baseline], timezone.now())
        dead = visible_blocks(request.user).filter(trial_block__trial=found, state=BlockState.DEAD)
        if (latest := dead.order_by("-pk").first()) is not None:  # too many pause the test
            context["dead"] = QualificationGivenUp(latest.pk)
    is_fragment = getattr(request, "htmx", False)
    template = "web/desk/_trial.html" if is_fragment else "web/desk/trial.html"
    return render(request, template, context)


@login_required
@at_most(30, 60)
def cancel_trial(request: UserRequest, pk: int) -> HttpResponse:
    """Ask for a confirmation, then cancel the test."""
    found = _mine(request, pk)
    if request.method != "POST":
        return render(request, "web/desk/cancel_trial.html", {"trial": found})
    if cancel(found.pk, timezone.now()):
        messages.success(request, _("The test was cancelled. Its results are kept."))
    else:
        messages.warning(request, _("The test had already ended."))
    return HttpResponseRedirect(reverse("web:desk_test", args=[found.pk]))


def _trials() -> Any:
    return Trial.objects.select_related("candidate__bot", "baseline__bot", "ladder", "owner")


def _mine(request: UserRequest, pk: int) -> Trial:
    found: Trial = get_object_or_404(_trials(), pk=pk)
    if not may_see_inside(request.user, found.owner_id):
        refuse(request, f"test {pk}")
        raise Http404
    return found
