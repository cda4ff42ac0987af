"""Parts of the platform are killed at random, without an effect on results."""

from __future__ import annotations

from typing import Any

import pytest

BLOCKS = 500
KILLS = 60  # of twelve kinds


@pytest.mark.soak
def test_kills_change_nothing_that_counts(django_db_blocker: Any) -> None:
    from chaos_ladder.plan import differences
    from chaos_ladder.trial import run

    with django_db_blocker.unblock():
        calm = run(BLOCKS, 0, 1, "sqlite")
        wild = run(BLOCKS, KILLS, 1, "postgresql")
    assert calm.lost_attempts == 0
    assert wild.kills.total() == KILLS
    assert len(calm.outcome["ratings"][0]) == 6
    assert (wild.lost, wild.double) == ((), ())
    assert differences(calm.outcome, wild.outcome) == []
