"""The latest notable games, as the front page and the API show them."""

from __future__ import annotations

from typing import Final

from damrak_ladder.standings.models import Notable, NotableKind

OF_A_KIND: Final = 2
MOST: Final = 200  # few are kept for each ladder, and there are few ladders


def notables() -> list[Notable]:
    """Return the newest games of each kind, the newest first."""
    full = Notable.objects.select_related("ladder", "version__bot")
    rows = list(full.order_by("-at", "-pk")[:MOST])
    chosen: list[Notable] = []
    seen: set[int] = set()
    for kind in NotableKind:
        fresh = [row for row in rows if row.kind == kind and row.match_id not in seen]
        chosen += fresh[:OF_A_KIND]
        seen |= {row.match_id for row in fresh[:OF_A_KIND]}
    return sorted(chosen, key=lambda row: (row.at, row.pk), reverse=True)
