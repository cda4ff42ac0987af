"""Presets of the creation form: the rules of common kinds of tournaments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from damrak_ladder.tournaments.divisions import league_stages
from damrak_ladder.tournaments.formats import LeagueRules


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of tournament; `entrants` is the field that its form expects."""

    name: Promise
    summary: Promise
    rules: dict[str, Any]
    entrants: int = 16


PRESETS: Final[dict[str, Preset]] = {
    "cup": Preset(
        _("Evening cup"),
        _("One evening at tables of four. The lower half leaves after each stage."),
        {
            "stages": [{"format": "culling", "players": 4, "blocks": 2}],
            "entry": {"most": 200},
        },
    ),
    "league": Preset(
        _("League season"),
        _("Three divisions with play-offs. Every bot meets all others twice, one round a day."),
        {
            "stages": league_stages(
                {"format": "round-robin", "double": True, "blocks": 2}, [8, 8, 8], LeagueRules()
            ),
            "entry": {"most": 24},
            "seeding": "season",
            "schedule": {"daily": "20:00", "zone": "Europe/Amsterdam"},
        },
        entrants=24,
    ),
    "final": Preset(
        _("Qualifier and final"),
        _("A Swiss system for all, then a knockout of the best eight with a longer final."),
        {
            "stages": [
                {"name": "Qualifier", "format": "swiss", "blocks": 2, "advance": 8},
                {
                    "name": "Final",
                    "format": "single-elimination",
                    "blocks": 4,
                    "final_blocks": 8,
                    "third_place": True,
                    "sources": [{"stage": 0}],
                },
            ],
            "entry": {"most": 200},
        },
        entrants=32,
    ),
    "class": Preset(
        _("Class project"),
        _("By invitation and not listed; every bot meets all others."),
        {
            "stages": [{"format": "round-robin", "blocks": 2}],
            "entry": {"invited": True, "kinds": ["uploaded"], "most": 40},
            "visibility": "unlisted",
            "reveal": "entrants",
        },
        entrants=20,
    ),
}
