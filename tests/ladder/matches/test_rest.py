"""A version whose blocks repeatedly fail does not keep the others from playing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from damrak_ladder.bots.models import Kind
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import Block, BlockState, Ladder, Purpose
from damrak_ladder.matches.rest import DEAD_IN_A_ROW, REST, resting
from ladder.bot_versions import some_bot, some_version
from ladder.ladders import some_ladder
from ladder.people import NOW
from ladder.tables import SEED

pytestmark = pytest.mark.usefixtures("database")


def some_blocks(ladder: Ladder, outcomes: str) -> int:
    """Create dead or recorded blocks of a new version against the house; return its key."""
    version = some_version(some_bot("stan"), kind=Kind.UPLOADED)
    house = some_version(some_bot("anvil"))
    for outcome in outcomes:
        table = Table((version, house), "practice", Purpose.LADDER, "ladder:x", ladder)
        state = BlockState.DEAD if outcome == "d" else BlockState.RECORDED
        Block.objects.filter(pk=book(table, SEED, NOW).pk).update(state=state)
    return version.pk


@pytest.mark.parametrize(
    ("outcomes", "rests"),
    [("ddd", True), ("rddd", True), ("dd", False), ("dddr", False), ("drdd", False)],
)
def test_resting_versions(outcomes: str, rests: bool) -> None:
    assert DEAD_IN_A_ROW == 3
    ladder = some_ladder("practice")
    version = some_blocks(ladder, outcomes)
    assert resting(ladder, NOW) == ({version} if rests else set())


def test_a_rest_expires() -> None:
    ladder = some_ladder("practice")
    some_blocks(ladder, "dddd")
    assert resting(ladder, NOW + REST - timedelta(seconds=1))
    assert not resting(ladder, NOW + REST)
