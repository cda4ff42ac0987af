"""The log of changes: positions in the order of commits, retention, and opaque tokens."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event as Signal

import pytest
from django.db import connection, transaction
from hypothesis import given, strategies

from damrak_ladder.changes.models import Change, ChangeKind
from damrak_ladder.changes.notes import note
from damrak_ladder.changes.positions import A_TIME, forget_changes, reach
from damrak_ladder.changes.tokens import LENGTH, BadToken, position_of, token_at
from ladder.people import NOW

KIND = ChangeKind.BLOCK_QUEUED


def subjects_after(position: int) -> list[int]:
    rows = Change.objects.filter(position__gt=position).order_by("position")
    return list(rows.values_list("subject", flat=True))


@pytest.mark.parametrize("committed", ["postgresql"], indirect=True)  # SQLite has one writer
def test_a_transaction_that_commits_late_is_not_skipped(committed: dict[str, str]) -> None:
    noted, may_commit = Signal(), Signal()

    def late() -> None:
        with transaction.atomic():
            note(KIND, 1, NOW)
            noted.set()
            may_commit.wait(60)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(late)
        assert noted.wait(60)
        note(KIND, 2, NOW)  # a greater key, committed earlier
        reached, _ = reach()
        assert subjects_after(0) == [2]
        may_commit.set()
        running.result()
    assert reach() == (reached + 1, 0)
    assert subjects_after(reached) == [1]


@pytest.mark.usefixtures("database")
def test_positions_have_no_gaps_and_are_not_reused_after_retention() -> None:
    count = A_TIME + 3
    Change.objects.bulk_create(
        Change(kind=KIND, subject=number, at=NOW + timedelta(seconds=number))
        for number in range(count)
    )
    assert reach() == (count, 0)
    assert subjects_after(0) == list(range(count))
    assert forget_changes(NOW + timedelta(seconds=count - 2)) == count - 2
    assert forget_changes(NOW + timedelta(seconds=count - 2)) == 0
    assert reach() == (count, count - 2)
    assert forget_changes(NOW + timedelta(days=1)) == 2
    note(KIND, 7, NOW)
    assert reach() == (count + 1, count)
    assert subjects_after(count) == [7]


@pytest.mark.usefixtures("database")
def test_a_change_that_is_rolled_back_is_not_noted() -> None:
    with transaction.atomic():
        note(KIND, 1, NOW)
        transaction.set_rollback(True)
    assert reach() == (0, 0)


@given(strategies.integers(0, 2**63 - 1), strategies.integers(0, LENGTH - 1), strategies.data())
def test_tokens_are_opaque_and_cannot_be_altered(
    position: int, place: int, data: strategies.DataObject
) -> None:
    token = token_at(position)
    assert position_of(token) == position
    assert token != token_at(position)  # equal positions do not show
    letter = data.draw(strategies.sampled_from("AZaz09-_.é ").filter(lambda it: it != token[place]))
    with pytest.raises(BadToken):
        position_of(token[:place] + letter + token[place + 1 :])
    with pytest.raises(BadToken):
        position_of(token[:place])
