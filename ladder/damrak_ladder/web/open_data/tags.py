"""Template tags of open data."""

from __future__ import annotations

from typing import Any, Final

from django import template
from django.utils.translation import gettext_lazy as _

from damrak_ladder.open_data.index import File
from damrak_ladder.open_data.tables import Table

register = template.Library()

NAMES: Final[dict[str, Any]] = {
    "matches": _("Matches"),
    "replays": _("Replays"),
    "ratings": _("Changes of ratings"),
    "standings": _("Current ratings"),
    "bots": _("Bots"),
    "versions": _("Versions"),
    "boards": _("Boards"),
    "ladders": _("Ladders"),
}


@register.filter
def table_name(file: File) -> str:
    """Return the name of a file's table in the reader's language."""
    return str(NAMES[file.table])


@register.filter
def table_name_of(table: Table) -> str:
    """Return the name of a table in the reader's language."""
    return str(NAMES[table.name])
