"""Notices to the owner of a bot about a change of its rank.

Ranks move with every fit, mostly by chance. Each version has a range of possible ranks. Its owner
is notified when that range no longer overlaps the one of the previous notice, and the first time
that the version is at the top and more likely than not the strongest. When the range becomes
narrower, the stored one does, too.
"""

from __future__ import annotations

from datetime import datetime

from damrak_ladder.bots.models import Kind as VersionKind, Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.notices import texts
from damrak_ladder.notices.creation import tell
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.standings.fit.figures import ALL
from damrak_ladder.standings.models import Standing

_LIKELY = 0.5


def tell_changes(ladder: Ladder, fit: int, now: datetime) -> None:
    """Notify the owners of versions whose standings have changed; in the caller's transaction."""
    listed = Standing.objects.filter(ladder=ladder, seats=ALL, rank__isnull=False).exclude(
        version__kind=VersionKind.HOUSE
    )
    news, changed = [], []
    for row in listed.order_by("pk"):
        assert row.rank is not None
        assert row.rank_low is not None
        assert row.rank_high is not None
        before, low, high = row.told, row.told_low, row.told_high
        if before is None or low is None or high is None:
            pass  # the first range of a new version is not worth a notice
        elif row.rank_low > high or row.rank_high < low:
            news.append((row, before, f"rank:{ladder.pk}:{row.version_id}:{fit}"))
        elif row.rank == 1 < before and (row.first or 0) > _LIKELY:
            news.append((row, before, f"first:{ladder.pk}:{row.version_id}"))
        elif not low <= row.rank_low <= row.rank_high <= high:
            continue  # no change is certain
        if (before, low, high) != (row.rank, row.rank_low, row.rank_high):
            row.told, row.told_low, row.told_high = row.rank, row.rank_low, row.rank_high
            changed.append(row)
    Standing.objects.bulk_update(changed, ["told", "told_low", "told_high"], batch_size=500)
    versions = Version.objects.select_related("bot__owner").in_bulk(
        [row.version_id for row, _, _ in news]
    )
    for row, before, key in news:
        version = versions[row.version_id]
        assert row.rank is not None
        said = texts.rank_change(version.bot.name, ladder.name, before, row.rank)
        tell(version.bot.owner, Kind.RANK_CHANGE, key, *said, f"/ladders/{ladder.slug}/", now)
