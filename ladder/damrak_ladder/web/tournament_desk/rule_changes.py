"""Differences between two versions of the rules, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext as _

from damrak_ladder.web.site import fragments
from damrak_ladder.web.tournament_desk import texts
from damrak_ladder.web.tournament_desk.rules_form import RulesForm
from damrak_ladder.web.tournament_desk.stage_form import StageForm
from damrak_ladder.web.tournaments.texts import FORMATS, TIE_BREAKS


@dataclass(frozen=True, slots=True)
class Difference:
    """A rule that changes. `place` is the stage, or empty."""

    place: str
    name: str
    before: str
    after: str


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Return the rules that differ; both are JSON as `rules_json` returns it."""
    found = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if name == "stages":
            found += list(_stages(old or [], new or []))
        else:
            found += list(_fields("", name, old, new))
    return found


def _stages(old: list[Any], new: list[Any]) -> Iterator[Difference]:
    for at in range(max(len(old), len(new))):
        place = _("Stage %(number)s") % {"number": at + 1}
        was = old[at] if at < len(old) else {}
        now = new[at] if at < len(new) else {}
        if not was or not now:
            there = (_said("format", one.get("format")) for one in (was, now))
            yield Difference(place, _label("format"), *there)
            continue
        for name in was.keys() | now.keys():
            if was.get(name) != now.get(name):
                yield from _fields(place, name, was.get(name), now.get(name))


def _fields(place: str, name: str, old: Any, new: Any) -> Iterator[Difference]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                yield from _fields(place, key, old.get(key), new.get(key))
    else:
        yield Difference(place, _label(name), _said(name, old), _said(name, new))


def _label(name: str) -> str:
    return _labels(get_language()).get(name, name)


@lru_cache(maxsize=16)
def _labels(_language: str | None) -> dict[str, str]:
    """Return the labels of the creation form, by the name of the rule."""
    declared = {**StageForm.base_fields, **RulesForm.base_fields}
    found = {name: str(field.label) for name, field in declared.items()}
    return found | {"tie_breaks": _("Tie-breaks"), "sources": _("Entrants from")}


def _said(name: str, value: Any) -> str:
    if value is None or value == "" or value == []:
        return fragments.NOTHING
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if name in ("opens", "closes", "starts") and (at := parse_datetime(str(value))):
        return f"{date_format(at, 'DATETIME_FORMAT')} ({at:%z})"
    if isinstance(value, (list, tuple)):
        return "; ".join(_said(name, one) for one in value)
    if isinstance(value, Mapping):
        given = ((key, one) for key, one in value.items() if one not in (None, [], ""))
        return ", ".join(f"{key} {one}" for key, one in given)
    return _choice(name, str(value))


def _choice(name: str, value: str) -> str:
    known: dict[str, dict[str, Any]] = {
        "format": FORMATS,
        "tie_breaks": TIE_BREAKS,
        "points": texts.POINT_SYSTEMS,
        "table_preference": texts.TABLE_PREFERENCES,
        "visibility": texts.VISIBILITIES,
        "reveal": texts.RELEASES,
        "seeding": texts.SEEDINGS,
    }
    return str(known.get(name, {}).get(value, value))
