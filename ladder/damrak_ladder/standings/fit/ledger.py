"""The ledger: an append-only record of published values."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import OuterRef, Subquery

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.fit.figures import TOLD
from damrak_ladder.standings.models import Line, Standing


def ledger_ends(ladder: Ladder) -> dict[tuple[int, int], Line]:
    """Return the latest line of each version and table size that has a standing."""
    latest = Line.objects.filter(
        ladder=ladder, seats=OuterRef("seats"), version=OuterRef("version")
    ).order_by("-fit")
    known = Standing.objects.filter(ladder=ladder).annotate(line=Subquery(latest.values("pk")[:1]))
    lines = Line.objects.filter(pk__in=known.values("line"))
    return {(line.version_id, line.seats): line for line in lines}


def is_news(before: Line | Standing | None, values: Mapping[str, object]) -> bool:
    """Return whether these values differ from the previous ones and require a line."""
    if before is None:
        return True
    was_known, is_known = bool(before.blocks), bool(values["blocks"])
    return was_known != is_known or any(getattr(before, name) != values[name] for name in TOLD)
