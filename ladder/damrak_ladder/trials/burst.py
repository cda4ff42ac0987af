"""The burst of a test: its first blocks, which are played ahead of its owner's turn.

They show an author quickly whether the test makes sense at all. The flow of all bursts together has
a bounded share of the machine (`matches/flows.py`), and each owner has a bounded number of such
blocks per hour, so that restarting tests repeatedly gains nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count

from damrak_ladder.matches.flows import BURST
from damrak_ladder.trials.demand import TrialWish, Wish
from damrak_ladder.trials.models import TrialBlock

BLOCKS: Final = 8
"""A test with fewer blocks, played or booked, gets its next one ahead of its turn."""

OWNER_BLOCKS: Final = BLOCKS
"""The number of burst blocks of an owner within `PERIOD`, in all tests together."""

PERIOD: Final = timedelta(hours=1)


def left_of(wishes: Sequence[Wish], now: datetime) -> tuple[dict[int, int], Counter[int]]:
    """Return the remaining blocks of the bursts of these tests, and of each of their owners.

    Tests are identified by key. Tests without remaining blocks are omitted.
    """
    trials = [wish.trial for wish in wishes if isinstance(wish, TrialWish)]
    begun = dict(
        TrialBlock.objects.filter(trial__in=trials)
        .values_list("trial")
        .annotate(count=Count("pk"))
        .order_by()
    )
    left = {
        trial.pk: BLOCKS - begun.get(trial.pk, 0)
        for trial in trials
        if begun.get(trial.pk, 0) < BLOCKS
    }
    owners = {trial.owner_id for trial in trials if trial.pk in left}
    used = dict(
        TrialBlock.objects.filter(
            trial__owner__in=owners, block__flow=BURST, block__created__gt=now - PERIOD
        )
        .values_list("trial__owner")
        .annotate(count=Count("pk"))
        .order_by()
    )
    return left, Counter({one: max(0, OWNER_BLOCKS - used.get(one, 0)) for one in owners})
