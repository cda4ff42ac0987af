"""Workers, referees, broker, database and site are killed at random: nothing comes out otherwise.

A short run; `make chaos-ladder` makes one of 500 blocks.
"""

from __future__ import annotations

from typing import Any

BLOCKS = 24
KILLS = 12
"""One of each kind."""


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
