"""The part of the form that describes a stage, and its conversion from and to JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from damrak_ladder.tournaments.formats.rules import (
    FORMATS,
    MOST_BLOCKS,
    MOST_ENTRANTS,
    POINTS,
    PREFERENCES,
    TIE_BREAKS,
)
from damrak_ladder.web.site.fragments import NOTHING
from damrak_ladder.web.tournament_desk.texts import POINT_SYSTEMS, TABLE_PREFERENCES
from damrak_ladder.web.tournaments.texts import FORMATS as FORMAT_NAMES, TIE_BREAKS as CRITERIA

CRITERIA_SHOWN: Final = len(TIE_BREAKS)
_FLAGS: Final = (
    "double",
    "third_place",
    "bracket_reset",
    "leaders_together",
    "same_owner_apart",
)
_NUMBERS: Final = (
    "rounds",
    "blocks",
    "final_blocks",
    "groups",
    "advance",
    "field",
    "survivors",
    "challengers",
    "sudden_death_limit",
)
_DEFAULTS: Final[Mapping[str, Any]] = {
    "players": 2,
    "blocks": 1,
    "groups": 1,
    "challengers": 1,
    "sudden_death_limit": 5,
    "points": "share",
    "table_preference": "balanced",
    "bracket_reset": True,
    "same_owner_apart": True,
}


def _number(label: Any, high: int, low: int = 1, help_text: Any = "") -> forms.IntegerField:
    return forms.IntegerField(
        label=label, required=False, min_value=low, max_value=high, help_text=help_text
    )


def _flag(label: Any) -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False)


class StageForm(forms.Form):
    """A stage. Without a format there is no such stage."""

    format = forms.ChoiceField(label=_("Format"), required=False)
    name = forms.CharField(label=_("Name of the stage"), required=False, max_length=60)
    players = forms.ChoiceField(
        label=_("Bots at a table"), choices=[(size, size) for size in (2, 3, 4)], required=False
    )
    blocks = _number(
        _("Blocks of a pairing"), MOST_BLOCKS, help_text=_("A block has a game for each seat.")
    )
    final_blocks = _number(
        _("Blocks in the final"),
        MOST_BLOCKS,
        help_text=_("The last round is played with this number too."),
    )
    rounds = _number(_("Rounds"), 1000, help_text=_("Empty: as many as the format needs."))
    source = forms.ChoiceField(label=_("Entrants from"), required=False)
    first = _number(_("From place"), MOST_ENTRANTS)
    last = _number(_("To place"), MOST_ENTRANTS)
    advance = _number(
        _("Bots that go on to the next stage"), MOST_ENTRANTS, help_text=_("From each group.")
    )
    groups = _number(_("Groups"), MOST_ENTRANTS)
    field = _number(_("Best seeds only"), MOST_ENTRANTS, 2)
    survivors = _number(_("Bots in the last stage of a culling"), MOST_ENTRANTS, 2)
    challengers = _number(_("Challengers of a gauntlet"), MOST_ENTRANTS)
    sudden_death_limit = _number(_("Blocks of sudden death, at most"), 100, 0)
    points = forms.ChoiceField(label=_("Points"), required=False)
    place_points = forms.CharField(
        label=_("Points for each place"),
        required=False,
        max_length=120,
        help_text=_("For tables of 2, 3 and so on, for example: 1 0; 2 1 0; 3 2 1 0"),
    )
    bye_points = forms.CharField(
        label=_("Points of a bye"),
        required=False,
        max_length=15,
        help_text=_("Empty: 1 for two, 1/2 at tables."),
    )
    table_preference = forms.ChoiceField(label=_("Seating at tables of 3 and 4"), required=False)
    double = _flag(_("All meet twice"))
    third_place = _flag(_("Play for the third place"))
    bracket_reset = _flag(_("Second final if the leader loses the first"))
    leaders_together = _flag(_("Seat the leaders together in the last round"))
    same_owner_apart = _flag(_("Keep bots of the same author apart"))

    def __init__(
        self, number: int, data: Mapping[str, Any] | None, initial: dict[str, Any]
    ) -> None:
        super().__init__(data, prefix=f"stage{number}", initial=initial)
        self.number = number
        none = [] if number == 0 else [("", _("no further stage"))]
        self._choose("format", [*none, *((one, FORMAT_NAMES[one]) for one in FORMATS)])
        self._choose("points", [(one, POINT_SYSTEMS[one]) for one in POINTS])
        self._choose("table_preference", [(one, TABLE_PREFERENCES[one]) for one in PREFERENCES])
        earlier = [
            (str(at), _("stage %(number)s") % {"number": at + 1}) for at in reversed(range(number))
        ]
        self._choose("source", [*earlier, ("", _("all entrants, by seed"))])
        for at in range(1, CRITERIA_SHOWN + 1):
            self.fields[f"tie{at}"] = forms.ChoiceField(
                label=_("Tie-break %(number)s") % {"number": at},
                choices=[("", NOTHING), *((one, CRITERIA[one]) for one in TIE_BREAKS)],
                required=False,
            )

    def _choose(self, name: str, choices: list[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    @property
    def is_used(self) -> bool:
        """Whether there is such a stage."""
        return bool(self.cleaned_data.get("format"))

    @property
    def ties(self) -> list[forms.BoundField]:
        """The fields of the tie-breaks, in order."""
        return [self[f"tie{at}"] for at in range(1, CRITERIA_SHOWN + 1)]

    def rules(self, base: Mapping[str, Any]) -> dict[str, Any]:
        """Return the stage as JSON; what the form does not show is taken from `base`."""
        said = self.cleaned_data
        found = dict(base)
        found |= {"format": said["format"], "name": said["name"]}
        found["players"] = int(said["players"] or 2)
        for name in _NUMBERS:
            found[name] = _DEFAULTS.get(name) if said[name] is None else said[name]
        for name in _FLAGS:
            found[name] = said[name]
        found["points"] = said["points"] or _DEFAULTS["points"]
        found["place_points"] = _rows(said["place_points"]) if said["points"] == "places" else []
        found["bye_points"] = (
            _number_or_fraction(said["bye_points"]) if said["bye_points"] else None
        )
        found["table_preference"] = said["table_preference"] or _DEFAULTS["table_preference"]
        ties = [said[f"tie{at}"] for at in range(1, CRITERIA_SHOWN + 1)]
        found["tie_breaks"] = [one for one in ties if one] or None
        if _shows(base.get("sources")):
            found["sources"] = [
                {
                    "stage": int(said["source"]) if said["source"] else None,
                    "first": said["first"] or 1,
                    "last": said["last"],
                }
            ]
        return found


def _rows(text: str) -> list[list[str | float]]:
    """Return the points of the places, with a row for each size of table."""
    rows = [[_number_or_fraction(one) for one in row.split()] for row in text.split(";")]
    return [row for row in rows if row]


def _number_or_fraction(text: str) -> str | float:
    """Return a decimal number as a number, and everything else for the check of the rules."""
    return float(text) if re.fullmatch(r"\d{1,4}\.\d{1,6}", text, re.ASCII) else text.strip()


def stage_initial(stage: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the form for a stage in JSON."""
    found = {**_DEFAULTS, **{name: value for name, value in stage.items() if name != "sources"}}
    for at, name in enumerate((stage.get("tie_breaks") or [])[:CRITERIA_SHOWN], 1):
        found[f"tie{at}"] = name
    rows = [" ".join(str(one) for one in row) for row in stage.get("place_points") or []]
    found["place_points"] = "; ".join(rows)
    sources = stage.get("sources")
    if sources and _shows(sources):
        [source] = sources
        at = source.get("stage")
        found["source"] = "" if at is None else str(at)
        found["first"] = source.get("first", 1)
        found["last"] = source.get("last")
    return found


def _shows(sources: object) -> bool:
    """Return whether the form can describe these sources."""
    if not sources:
        return True
    return isinstance(sources, list) and len(sources) == 1 and not sources[0].get("entrants")
