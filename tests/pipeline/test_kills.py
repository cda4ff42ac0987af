"""Workers, referees, broker, database and site are killed at random: nothing comes out otherwise.

A short run; `cd tests && python -m chaos_ladder` makes longer ones.
"""

from __future__ import annotations

from typing import Any

BLOCKS = 24
KILLS = 9
"""One of each kind."""


def test_kills_change_nothing_that_counts(django_db_blocker: Any) -> None:
    from chaos_ladder.plan import differences
    from chaos_ladder.trial import run

    with django_db_blocker.unblock():
        calm = run(BLOCKS, 0, 1, "sqlite")
        wild = run(BLOCKS, KILLS, 1, "postgresql")
    assert calm.lost_attempts == 0
    assert wild.kills.total() == KILLS
    assert len(calm.outcome["ratings"][0]) == 4
    assert differences(calm.outcome, wild.outcome) == []
