"""Publication of ratings, for all ladders: the last blocks of a closed ladder count, too."""

from __future__ import annotations

import logging
from datetime import datetime

from damrak_ladder.matches.models import Ladder
from damrak_ladder.standings.days import write_days
from damrak_ladder.standings.publishing import publish

_log = logging.getLogger(__name__)


def publish_ladders(now: datetime) -> int:
    """Publish the ratings of every ladder that has changed enough; return the number of ladders."""
    published = 0
    for ladder in Ladder.objects.order_by("pk"):
        try:
            if publish(ladder, now) is not None:
                published += 1
                write_days(ladder, now)
        except Exception:  # noqa: BLE001  # one ladder must not stop the others
            _log.exception("ladder_not_published", extra={"ladder": ladder.slug})
    return published
