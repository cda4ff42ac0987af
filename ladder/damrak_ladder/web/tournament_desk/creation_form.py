"""The form with which a tournament is created, copied and changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from damrak_ladder.message_codes.wording import text_of
from damrak_ladder.tournaments.divisions import MOST_DIVISIONS, Shape, league_stages, shape_of
from damrak_ladder.tournaments.errors import BadTournament
from damrak_ladder.tournaments.forecasts import MOST, Forecast, forecast_of
from damrak_ladder.tournaments.formats import LeagueRules
from damrak_ladder.tournaments.log.errors import BadRules
from damrak_ladder.tournaments.log.rules import MOST_STAGES, Rules, parse_rules
from damrak_ladder.tournaments.rule_checks import checked_rules
from damrak_ladder.web.tournament_desk.rules_form import RulesForm, rules_initial
from damrak_ladder.web.tournament_desk.stage_form import StageForm, stage_initial

STAGES: Final = 3
"""Stages that the form shows at first."""


class HeadForm(forms.Form):
    """The identity of a tournament, which is fixed at its creation."""

    name = forms.CharField(label=_("Name"), max_length=60)
    slug = forms.CharField(
        label=_("Address"),
        max_length=40,
        help_text=_("Lower-case letters, digits and hyphens, such as “spring-cup”."),
    )
    summary = forms.CharField(
        label=_("Summary"), required=False, max_length=300, help_text=_("One or two sentences.")
    )
    league = forms.CharField(
        label=_("League"),
        required=False,
        max_length=40,
        help_text=_("The address of a league of yours; a new address creates a league."),
    )


class FieldForm(forms.Form):
    """The number of entrants for which the forecast is calculated."""

    entrants = forms.IntegerField(
        label=_("Entrants that you expect"), min_value=2, max_value=MOST, initial=16
    )


class LeagueForm(forms.Form):
    """The divisions of a season. Without a number of divisions, the stages are as described."""

    divisions = forms.IntegerField(
        label=_("Divisions"),
        required=False,
        min_value=1,
        max_value=MOST_DIVISIONS,
        help_text=_("Stage 1 describes how each division is played. Empty: no divisions."),
    )
    size = forms.IntegerField(
        label=_("Bots in a division"), min_value=3, max_value=1000, initial=8, required=False
    )
    swaps = forms.IntegerField(
        label=_("Bots that go up and down"), min_value=0, max_value=100, initial=1, required=False
    )
    play_off = forms.BooleanField(
        label=_("Play-off for one more place"), initial=True, required=False
    )

    @property
    def is_used(self) -> bool:
        """Whether there are divisions."""
        return bool(self.cleaned_data.get("divisions"))

    @property
    def rules(self) -> LeagueRules:
        """The rules of the league."""
        said = self.cleaned_data
        swaps = 1 if said["swaps"] is None else said["swaps"]
        return LeagueRules(target=said["size"] or 8, swaps=swaps, play_off=said["play_off"])

    def stages(self, template: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the divisions and play-offs as JSON.

        Raises:
            BadTournament
        """
        rules = self.rules
        return league_stages(template, [rules.target] * self.cleaned_data["divisions"], rules)


class CreationForm:
    """The forms of a page together: identity, stages, other rules, and the expected field.

    `rules` are JSON that the form begins with; what the form does not show is kept.
    """

    def __init__(
        self,
        rules: Mapping[str, Any],
        data: Mapping[str, Any] | None = None,
        *,
        entrants: int = 16,
        has_head: bool = True,
        head: dict[str, Any] | None = None,
    ) -> None:
        self.base = rules
        self.is_bound = data is not None
        self.head = HeadForm(data, prefix="head", initial=head) if has_head else None
        self.field = FieldForm(data, prefix="field", initial={"entrants": entrants})
        self.main = RulesForm(data, prefix="rules", initial=rules_initial(rules))
        given = list(rules.get("stages", ()))
        shape = _shape(rules)
        self.league = LeagueForm(data, prefix="divisions", initial=_league_initial(shape))
        self.count = _count(data, 1 if shape else max(STAGES, len(given)))
        self.can_add = self.count < MOST_STAGES
        self.stages = [
            StageForm(at, data, initial=stage_initial(given[at] if at < len(given) else _next(at)))
            for at in range(self.count)
        ]
        self.checked: Rules | None = None
        self.json: dict[str, Any] = {}

    def is_valid(self) -> bool:
        """Return whether the fields are valid and the rules can be played."""
        others = [one for one in (self.field, self.head) if one is not None]
        needed = (self.main, self.league, *self.stages)
        invalid = [one for one in (*needed, *others) if not one.is_valid()]
        if any(one in invalid for one in needed):
            return False
        try:
            self.json = self._rules()
            self.checked = checked_rules(self.json)
        except BadTournament as problem:
            self.add_problem(problem)
            return False
        return not invalid

    def add_problem(self, problem: BadTournament) -> None:
        """Show a problem beside the field that it is about."""
        *path, last = problem.field.split(".")
        form: forms.Form = self.main
        if path and path[0] == "stages" and int(path[1] if len(path) > 1 else last) < self.count:
            form = self.stages[int(path[1] if len(path) > 1 else last)]
        elif problem.field in self.league.fields:
            form = self.league
        elif self.head is not None and problem.field in self.head.fields:
            form = self.head
        if last in form.fields:
            form.add_error(last, text_of(problem.problem))
        else:
            form.add_error(None, text_of(problem.message))

    def forecast(self) -> Forecast | None:
        """Return what the format buys; None if the rules cannot be played."""
        if self.is_bound:
            rules = self.checked
            entrants = self.field.cleaned_data.get("entrants") if self.field.is_valid() else None
        else:
            try:
                rules, entrants = checked_rules(self.base), self.field.initial["entrants"]
            except BadTournament:
                return None
        return None if rules is None or entrants is None else forecast_of(rules, entrants)

    def _rules(self) -> dict[str, Any]:
        given = list(self.base.get("stages", ()))
        stages = [
            form.rules(given[at] if at < len(given) else {})
            for at, form in enumerate(self.stages)
            if form.is_used
        ]
        if self.league.is_used and stages:
            stages = self.league.stages(stages[0])
        return self.main.rules(self.base) | {"stages": stages}


def _shape(rules: Mapping[str, Any]) -> Shape | None:
    """Return the divisions of rules in JSON; None if the stages are not those of a league."""
    try:
        return shape_of(parse_rules(rules))
    except BadRules:
        return None


def _league_initial(shape: Shape | None) -> dict[str, Any]:
    if shape is None:
        return {}
    rules = shape.rules
    return {
        "divisions": len(shape.sizes),
        "size": rules.target,
        "swaps": rules.swaps,
        "play_off": rules.play_off,
    }


def _count(data: Mapping[str, Any] | None, usual: int) -> int:
    """Return the number of stages that the form shows, one more if the user asks for it."""
    if data is None:
        return min(usual, MOST_STAGES)
    said = str(data.get("stages", ""))
    count = int(said) if said.isascii() and said.isdigit() and len(said) < 4 else usual
    return min(max(1, count) + ("more" in data), MOST_STAGES)


def _next(number: int) -> dict[str, Any]:
    """Return the values of a stage that does not exist yet; it would follow the one before it."""
    return {"format": "", "sources": [{"stage": number - 1}]} if number else {}
