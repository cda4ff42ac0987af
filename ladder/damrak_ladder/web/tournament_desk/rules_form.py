"""The part of the form about boards, entry, times and clocks, and its conversion to JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.utils.translation import get_language, gettext, gettext_lazy as _

from damrak_engine.boards import board_names
from damrak_engine.clock import TimeControl
from damrak_engine.options import CHOICES
from damrak_ladder.matches.models import Ladder
from damrak_ladder.tournaments.log.rules import (
    KINDS,
    MOST_HOURS,
    SEEDINGS as ALL_SEEDINGS,
    VISIBILITIES,
)
from damrak_ladder.tournaments.log.values import Release
from damrak_ladder.web.guides.library import option_effects
from damrak_ladder.web.site.fragments import NOTHING
from damrak_ladder.web.site.tags import kind_name
from damrak_ladder.web.tournament_desk.texts import RELEASES, SEEDINGS, VISIBILITIES as AUDIENCES

OPTIONS: Final = [name for name in CHOICES if len(CHOICES[name]) > 1 or name == "turn_limit"]
DEFAULT_ZONE: Final = "Europe/Amsterdam"
MOMENTS: Final = ("opens", "closes", "starts")
_MOMENT: Final = "%Y-%m-%dT%H:%M"
_CLOCKS: Final = ("decision_ms", "bank_ms", "increment_ms")
_ENTRY: Final = ("kinds", "invited", "domain", "low", "high", "per_owner", "most")
_PLAIN: Final = (
    "seeding",
    "visibility",
    "reveal",
    "rotations",
    "patience_s",
    "absent",
    "dead",
    "games_a_minute",
)


def moment_field(label: Any, help_text: Any = "") -> forms.DateTimeField:
    """Return a field for a local time, whose zone the form determines."""
    widget = forms.DateTimeInput({"type": "datetime-local"}, format=_MOMENT)
    return forms.DateTimeField(
        label=label, required=False, input_formats=[_MOMENT], widget=widget, help_text=help_text
    )


def _choice(label: Any, choices: list[tuple[str, Any]], help_text: Any = "") -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=choices, help_text=help_text)


def _words(text: str) -> list[str]:
    return [one for one in text.replace(",", " ").split() if one]


class ScheduleForm(forms.Form):
    """The times that can change while a tournament is running."""

    daily = forms.TimeField(
        label=_("One round a day, at"),
        required=False,
        widget=forms.TimeInput({"type": "time"}, format="%H:%M"),
        help_text=_("Empty: a round begins when the one before it is complete."),
    )
    next_season_h = forms.IntegerField(
        label=_("Begin the next season of the league after (hours)"),
        required=False,
        min_value=0,
        max_value=MOST_HOURS,
        help_text=_(
            "The results become final this long after the last game, and entries of the next season"
            " open. The season starts after the same time again. Empty: you begin it on the desk."
        ),
    )

    def schedule(self) -> dict[str, Any]:
        """Return these times as JSON."""
        said = self.cleaned_data
        return {"daily": _time(said["daily"]), "next_season_h": said["next_season_h"]}


class RulesForm(ScheduleForm):
    """Everything except the stages."""

    boards = forms.CharField(
        label=_("Boards"), max_length=400, help_text=_("Names, or daily:24 for a board of the day.")
    )
    seeding = _choice(_("Seeding"), [(one, SEEDINGS[one]) for one in ALL_SEEDINGS])
    rotations = forms.IntegerField(
        label=_("Rotations of a block"),
        min_value=1,
        max_value=20,
        help_text=_("How often each seat is played with the same cards."),
    )
    kinds = forms.MultipleChoiceField(
        label=_("Kinds of bots"), choices=[], widget=forms.CheckboxSelectMultiple
    )
    invited = forms.BooleanField(
        label=_("Only with the invitation link"),
        required=False,
        help_text=_("The desk of the tournament has the link, and can replace it."),
    )
    domain = forms.CharField(
        label=_("Only with a verified email address at"), required=False, max_length=200
    )
    per_owner = forms.IntegerField(label=_("Bots per author"), min_value=1, max_value=2000)
    most = forms.IntegerField(label=_("Places"), min_value=2, max_value=2000)
    ladder = forms.ChoiceField(
        label=_("Ratings from"), required=False, help_text=_("For seeds and the rating range.")
    )
    low = forms.FloatField(label=_("Lowest rating"), required=False)
    high = forms.FloatField(label=_("Highest rating"), required=False)
    languages = forms.CharField(label=_("Languages of bots"), required=False, max_length=200)
    opens = moment_field(_("Entries open"))
    closes = moment_field(_("Entries close"), _("The version of each bot is fixed at this time."))
    starts = moment_field(_("Start"))
    zone = forms.CharField(
        label=_("Time zone"), max_length=60, help_text=_("Applies to all times in this form.")
    )
    visibility = _choice(_("Visibility"), [(one, AUDIENCES[one]) for one in VISIBILITIES])
    reveal = _choice(
        _("Results of a new round"),
        [(one, RELEASES[one]) for one in reversed(Release)],
        _("You can release them later, round by round or pairing by pairing."),
    )
    bank_ms = forms.IntegerField(label=_("Time bank of a game (ms)"), required=False, min_value=1)
    increment_ms = forms.IntegerField(
        label=_("Increment after a decision (ms)"), required=False, min_value=0
    )
    decision_ms = forms.IntegerField(label=_("Longest decision (ms)"), required=False, min_value=1)
    games_a_minute = forms.IntegerField(
        label=_("Games a minute, at most"), required=False, min_value=1, max_value=100_000
    )
    patience_s = forms.IntegerField(
        label=_("Wait for an absent remote bot (s)"), min_value=10, max_value=7 * 86_400
    )
    absent = _choice(
        _("Then"),
        [("forfeit", _("it loses the pairing")), ("wait", _("wait for the organisers"))],
    )
    dead = _choice(
        _("A block that cannot be played"),
        [("wait", _("waits for the organisers")), ("skip", _("is left out"))],
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        ladders = Ladder.objects.order_by("pk").values_list("slug", "name")
        for name, choices in (
            ("kinds", [(one, kind_name(one)) for one in KINDS]),
            ("ladder", [("", gettext("the first ladder")), *ladders]),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = choices
        effects = option_effects(get_language() or "en")
        for name in OPTIONS:
            self.fields[f"option_{name}"] = (
                forms.CharField(label=name, required=False, max_length=9, help_text=effects[name])
                if name == "turn_limit"
                else forms.ChoiceField(
                    label=name,
                    choices=[("", NOTHING), *((one, one) for one in CHOICES[name])],
                    required=False,
                    help_text=effects[name],
                )
            )

    @property
    def option_fields(self) -> list[forms.BoundField]:
        """The fields of the rule options."""
        return [self[f"option_{name}"] for name in OPTIONS]

    def clean_zone(self) -> str:
        """Return the time zone if it exists."""
        zone: str = self.cleaned_data["zone"]
        if zone not in available_timezones():
            raise forms.ValidationError(_("There is no such time zone. Example: Europe/Amsterdam."))
        return zone

    def rules(self, base: Mapping[str, Any]) -> dict[str, Any]:
        """Return these rules as JSON; what the form does not show is taken from `base`."""
        said = self.cleaned_data
        found = dict(base) | {name: said[name] for name in _PLAIN}
        found["boards"] = _words(said["boards"])
        entry = dict(base.get("entry", {})) | {name: said[name] for name in _ENTRY}
        entry |= {"ladder": said["ladder"], "languages": _words(said["languages"])}
        found["entry"] = entry
        zone = ZoneInfo(said["zone"])
        found["schedule"] = {"zone": said["zone"], **self.schedule()}
        for name in MOMENTS:
            at: datetime | None = said[name]
            found["schedule"][name] = None if at is None else at.replace(tzinfo=zone).isoformat()
        control = dict(base.get("control", {}))
        for name in _CLOCKS:
            control.pop(name, None)
            if said[name] is not None:
                control[name] = said[name]
        found["control"] = control
        kept = {k: v for k, v in base.get("options", {}).items() if k not in OPTIONS}
        given = {name: said[f"option_{name}"] for name in OPTIONS}
        found["options"] = kept | {name: value for name, value in given.items() if value}
        return found


def rules_initial(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the form for rules in JSON."""
    entry, schedule = dict(rules.get("entry", {})), dict(rules.get("schedule", {}))
    zone = schedule.get("zone") or DEFAULT_ZONE
    found: dict[str, Any] = {
        "boards": ", ".join(rules.get("boards") or board_names()[:1]),
        "kinds": ["uploaded", "house"],
        "per_owner": 1,
        "most": 200,
        "seeding": "rating",
        "visibility": "public",
        "reveal": "public",
        "rotations": 1,
        "patience_s": 600,
        "absent": "forfeit",
        "dead": "wait",
        "zone": zone,
        "daily": (schedule.get("daily") or "")[:5],
        "next_season_h": schedule.get("next_season_h"),
    }
    found |= {name: rules[name] for name in _PLAIN if name in rules}
    found |= {name: entry[name] for name in (*_ENTRY, "ladder") if name in entry}
    found["languages"] = ", ".join(entry.get("languages", ()))
    for name in MOMENTS:
        if value := schedule.get(name):
            local = datetime.fromisoformat(value).astimezone(ZoneInfo(zone))
            found[name] = local.replace(tzinfo=None)
    control = rules.get("control", {})
    usual = TimeControl()
    found |= {name: control.get(name, getattr(usual, name)) for name in _CLOCKS}
    found |= {f"option_{name}": value for name, value in rules.get("options", {}).items()}
    return found


def _time(value: Any) -> str | None:
    return None if value is None else value.strftime("%H:%M")
