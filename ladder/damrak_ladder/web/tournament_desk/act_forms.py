"""The forms of acts: what an organiser chooses, and the payload that follows from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext, gettext_lazy as _

from damrak_ladder.tournaments.documents import Names
from damrak_ladder.tournaments.log.acts import Kind
from damrak_ladder.tournaments.log.state import Pairing, State
from damrak_ladder.tournaments.log.values import Release, Ruling
from damrak_ladder.web.tournament_desk.rules_form import moment_field
from damrak_ladder.web.tournament_desk.texts import RELEASES, RULINGS

LONGEST: Final = 40_000


class ActForm(forms.Form):
    """The choices of an act. The base class is for acts without any."""

    def __init__(
        self, state: State, names: Names, data: Mapping[str, Any] | None, initial: Any
    ) -> None:
        self.state, self.names = state, names
        super().__init__(data, initial=initial)
        self.prepare()

    def prepare(self) -> None:
        """Fill the choices from the state."""

    def payload(self) -> dict[str, Any]:
        """Return the payload of the act."""
        return {name: value for name, value in self.cleaned_data.items() if value is not None}

    def label_of(self, number: int) -> str:
        """Return the name of an entrant in a list of choices."""
        bot = self.names.entrants[number].bot
        return bot.name if bot.name == bot.slug else f"{bot.name} ({bot.slug})"

    def numbers_in(self, text: str) -> list[int]:
        """Return the entrants named in a text by their slugs.

        Raises:
            ValidationError
        """
        known = {one.bot.slug: number for number, one in self.names.entrants.items()}
        found = []
        for word in re.split(r"[\s,;]+", text.strip()):
            if word not in known:
                raise forms.ValidationError(gettext("No entrant is named %s.") % word[:60])
            found.append(known[word])
        return found


class _OfRound(ActForm):
    stage = forms.IntegerField(min_value=0, max_value=99, widget=forms.HiddenInput)
    round = forms.IntegerField(min_value=1, max_value=9999, widget=forms.HiddenInput)


class _OfTable(_OfRound):
    table = forms.IntegerField(min_value=1, max_value=9999, widget=forms.HiddenInput)

    def pairing(self) -> Pairing | None:
        """Return the pairing that the request names."""
        at = []
        for name in ("stage", "round", "table"):
            given = self.data.get(name, self.initial.get(name))
            at.append(int(given) if str(given).isascii() and str(given).isdigit() else -1)
        stage = self.state.stages.get(at[0])
        if stage is None or not 1 <= at[1] <= len(stage.rounds):
            return None
        return stage.rounds[at[1] - 1].pairings.get(at[2])


class _OfBlock(_OfTable):
    number = forms.IntegerField(min_value=1, max_value=9999, widget=forms.HiddenInput)


class _EntrantForm(ActForm):
    entrant = forms.TypedChoiceField(label=_("Bot"), coerce=int)

    def prepare(self) -> None:
        field = self.fields["entrant"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (number, self.label_of(number))
            for number in sorted(self.state.entrants, key=lambda one: self.label_of(one).lower())
            if self.is_choice(number)
        ]

    def is_choice(self, number: int) -> bool:
        return self.state.is_in(number)


class _DisqualifyForm(_EntrantForm):
    ruling = forms.ChoiceField(
        label=_("Decided pairings"),
        choices=[(one, RULINGS[one]) for one in Ruling],
        initial=Ruling.KEEP,
        widget=forms.RadioSelect,
    )

    def is_choice(self, number: int) -> bool:
        return self.state.entrants[number].standing != "disqualified"


class _EnterForm(ActForm):
    slug = forms.CharField(label=_("Name of the bot"), max_length=40)
    guest = forms.BooleanField(label=_("As a guest, who has no place in the table"), required=False)
    beyond_places = forms.BooleanField(label=_("Even if all places are taken"), required=False)


class _RenameForm(ActForm):
    name = forms.CharField(label=_("Name"), max_length=60)


class _StopForm(ActForm):
    on = forms.BooleanField(required=False, widget=forms.HiddenInput)


class _SpeedForm(ActForm):
    games_a_minute = forms.IntegerField(
        label=_("Games a minute, at most"), required=False, min_value=1, max_value=100_000
    )

    def payload(self) -> dict[str, Any]:
        return dict(self.cleaned_data)


class _StartForm(ActForm):
    seeds = forms.CharField(
        label=_("Bots in the order of their seeds"),
        widget=forms.Textarea,
        max_length=LONGEST,
        help_text=_("One name in each line, the best seed first."),
    )

    def prepare(self) -> None:
        if self.state.rules.seeding != "manual":
            del self.fields["seeds"]
            return
        entrants = sorted(self.names.entrants)
        taking_part = [number for number in entrants if self.state.is_in(number)]
        slugs = [self.names.entrants[number].bot.slug for number in taking_part]
        self.fields["seeds"].initial = "\n".join(slugs)

    def clean_seeds(self) -> list[int]:
        """Return the numbers of the entrants."""
        return self.numbers_in(self.cleaned_data["seeds"])

    def payload(self) -> dict[str, Any]:
        if "seeds" not in self.fields:
            return {}
        return {"seeds": self.cleaned_data["seeds"], "method": "manual"}


class _ArrangeForm(_OfRound):
    manual = forms.CharField(
        label=_("These meet"),
        required=False,
        widget=forms.Textarea,
        max_length=LONGEST,
        help_text=_("The bots of a table in each line, by name."),
    )
    forbidden = forms.CharField(
        label=_("These do not meet"),
        required=False,
        widget=forms.Textarea,
        max_length=LONGEST,
        help_text=_("Two bots in each line."),
    )

    def _lines(self, name: str) -> list[list[int]]:
        lines = self.cleaned_data[name].splitlines()
        return [self.numbers_in(line) for line in lines if line.strip()]

    def clean_manual(self) -> list[list[int]]:
        """Return the pairings."""
        return self._lines("manual")

    def clean_forbidden(self) -> list[list[int]]:
        """Return the pairs."""
        return self._lines("forbidden")


class _OverrideForm(_OfTable):
    def prepare(self) -> None:
        pairing = self.pairing()
        for number in () if pairing is None else pairing.entrants:
            self.fields[f"place{number}"] = forms.IntegerField(
                label=gettext("Place of %s") % self.label_of(number), min_value=1, max_value=4
            )

    def payload(self) -> dict[str, Any]:
        pairing = self.pairing()
        assert pairing is not None or len(self.fields) == 3
        said = {name: self.cleaned_data[name] for name in ("stage", "round", "table")}
        entrants = () if pairing is None else pairing.entrants
        return said | {"places": [self.cleaned_data[f"place{one}"] for one in entrants]}


class _ForfeitForm(_OfTable):
    entrants = forms.TypedMultipleChoiceField(
        label=_("These lose"), coerce=int, widget=forms.CheckboxSelectMultiple
    )

    def prepare(self) -> None:
        pairing = self.pairing()
        field = self.fields["entrants"]
        assert isinstance(field, forms.ChoiceField)
        numbers = () if pairing is None else pairing.entrants
        field.choices = [(number, self.label_of(number)) for number in numbers]


class _ReleaseForm(_OfRound):
    table = forms.IntegerField(
        required=False, min_value=1, max_value=9999, widget=forms.HiddenInput
    )
    level = forms.ChoiceField(
        label=_("Audience"),
        choices=[(one, RELEASES[one]) for one in Release],
        widget=forms.RadioSelect,
    )


class _PlanReleaseForm(_OfRound):
    level = forms.ChoiceField(
        label=_("Audience"),
        choices=[(one, RELEASES[one]) for one in (Release.PUBLIC, Release.ENTRANTS)],
        initial=Release.PUBLIC,
        widget=forms.RadioSelect,
    )
    at = moment_field(_("Time"), _("Empty: no release is planned."))

    def prepare(self) -> None:
        zone = self.state.rules.schedule.zone
        self.fields["at"].label = f"{_('Time')} ({zone})"

    def payload(self) -> dict[str, Any]:
        said, zone = dict(self.cleaned_data), ZoneInfo(self.state.rules.schedule.zone)
        at = said["at"]
        return said | {"at": None if at is None else at.replace(tzinfo=zone).isoformat()}


class _UndoForm(ActForm):
    undoes = forms.IntegerField(min_value=1, max_value=1 << 31, widget=forms.HiddenInput)

    def payload(self) -> dict[str, Any]:
        return {}


FORMS: Final[dict[Kind, type[ActForm]]] = {
    **dict.fromkeys(
        (Kind.OPEN, Kind.CLOSE, Kind.PAUSE, Kind.RESUME, Kind.FINALISE, Kind.REOPEN, Kind.CANCEL),
        ActForm,
    ),
    Kind.RENAME: _RenameForm,
    Kind.START: _StartForm,
    Kind.STOP: _StopForm,
    Kind.SPEED: _SpeedForm,
    Kind.ENTER: _EnterForm,
    Kind.WITHDRAW: _EntrantForm,
    Kind.DISQUALIFY: _DisqualifyForm,
    Kind.ARRANGE: _ArrangeForm,
    Kind.OVERRIDE: _OverrideForm,
    Kind.REPLAY_BLOCK: _OfBlock,
    Kind.REPLAY_ROUND: _OfRound,
    Kind.FORFEIT: _ForfeitForm,
    Kind.SKIP_BLOCK: _OfBlock,
    Kind.RELEASE: _ReleaseForm,
    Kind.PLAN_RELEASE: _PlanReleaseForm,
    Kind.UNDO: _UndoForm,
}
"""The form of each act that has a page. The rules are changed with the form of the creation."""
