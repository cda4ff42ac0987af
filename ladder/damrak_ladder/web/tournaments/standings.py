"""The tables of a tournament as HTML, which is kept until their rows or names change."""

from __future__ import annotations

from typing import Any, Final

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from damrak_ladder.tournaments.documents import Names, names_of, table_json
from damrak_ladder.tournaments.log.state import Stage
from damrak_ladder.web.tournaments.lookup import Found

_MOST_TEXTS: Final = 12


def tables_of(found: Found) -> list[dict[str, Any]]:
    """Return the tables of the stages that have begun, the latest first, with their HTML."""
    names = names_of(found.tournament)
    stages = sorted(found.seen.state.stages.items(), reverse=True)
    return [
        {
            "stage": number,
            "name": stage.plan.name,
            "format": stage.plan.rules.format,
            "rounds_played": found.seen.played(stage),
            "body": _body(found, stage, names),
        }
        for number, stage in stages
    ]


def _body(found: Found, stage: Stage, names: Names) -> SafeString:
    table = found.seen.kept_table(stage)
    known = tuple((one.bot.slug, one.bot.name) for one in names.entrants.values())
    key = ("standings", get_language(), stage.plan.name, known)
    if key not in table.texts:
        shown = {"table": table_json(found.seen, stage, names)}
        if len(table.texts) >= _MOST_TEXTS:
            table.texts.clear()
        table.texts[key] = render_to_string("web/tournaments/_table.html", shown)
    return mark_safe(table.texts[key])  # noqa: S308 - rendered by a template, which escapes
