"""The versions on the list of a ladder.

Ratings exist for every version that has played. The list, with its ranks, bands and chances of
being first, contains only active versions: otherwise twenty old versions of one bot could fill its
top.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Exists, F, OuterRef, Q

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.models import Entry, Ladder


def listed_among(ladder: Ladder, versions: Collection[int]) -> frozenset[int]:
    """Return those of these versions that are live and whose bot has not left, and house bots."""
    left = Entry.objects.filter(ladder=ladder, bot=OuterRef("bot"), left__isnull=False)
    specs = {*ladder.house, *ladder.anchors}
    found = Version.objects.filter(
        (Q(bot__live=F("pk")) & ~Exists(left)) | Q(kind=Kind.HOUSE, spec__in=specs)
    )
    known = set(versions)
    return frozenset(pk for pk in found.values_list("pk", flat=True) if pk in known)
