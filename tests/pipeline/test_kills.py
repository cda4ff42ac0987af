"""Parts of the platform are killed at random, and nothing comes out otherwise."""

from __future__ import annotations

from typing import Any

import pytest

KINDS = 12  # of what can be killed


@pytest.mark.parametrize(
    ("blocks", "kills"), [(24, KINDS), pytest.param(500, 5 * KINDS, marks=pytest.mark.soak)]
)
def test_kills_change_nothing_that_counts(django_db_blocker: Any, blocks: int, kills: int) -> None:
    from chaos_ladder.plan import differences
    from chaos_ladder.trial import run

    with django_db_blocker.unblock():
        calm = run(blocks, 0, 1, "sqlite")
        wild = run(blocks, kills, 1, "postgresql")
    assert calm.lost_attempts == 0
    assert wild.kills.total() == kills
    assert len(calm.outcome["ratings"][0]) == 6
    assert (wild.lost, wild.double) == ((), ())
    assert differences(calm.outcome, wild.outcome) == []
