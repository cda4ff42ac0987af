"""When the owner of a bot is told that its rank has changed.

Ranks move with every fit, mostly by chance. Each version has a range of ranks that it may have; its
owner is told when that range no longer meets the one they know of, and the first time that it is
at the top and more likely than not the strongest. As the range grows narrower, so does what
they know.
"""

from __future__ import annotations

from datetime import datetime

from damrak_ladder.bots.models import Kind as VersionKind, Version
from damrak_ladder.matches.models import Ladder
from damrak_ladder.notices import wording
from damrak_ladder.notices.kinds import Kind
from damrak_ladder.notices.telling import tell
from damrak_ladder.standings.figures import ALL
from damrak_ladder.standings.models import Standing

_LIKELY = 0.5


def tell_changes(ladder: Ladder, fit: int, now: datetime) -> None:
    """Tell the owners of whom the standings say something new; in the caller's transaction."""
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
            pass  # a newcomer: that it is somewhere is no news
        elif row.rank_low > high or row.rank_high < low:
            news.append((row, before, f"rank:{ladder.pk}:{row.version_id}:{fit}"))
        elif row.rank == 1 < before and (row.first or 0) > _LIKELY:
            news.append((row, before, f"first:{ladder.pk}:{row.version_id}"))
        elif not low <= row.rank_low <= row.rank_high <= high:
            continue  # nothing that is certain
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
        said = wording.rank_change(version.bot.name, ladder.name, before, row.rank)
        tell(version.bot.owner, Kind.RANK_CHANGE, key, *said, f"/ladders/{ladder.slug}/", now)
