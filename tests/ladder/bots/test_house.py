"""The ladder's list of house bots is that of the SDK, which it does not import."""

from __future__ import annotations

from damrak import bots
from damrak_ladder.bots import house


def test_the_ladder_knows_the_house_bots_of_the_sdk_and_their_parameters() -> None:
    known = {name: frozenset(bots.parameters(bot)) for name, bot in bots.HOUSE_BOTS.items()}
    assert known == house.HOUSE_BOTS
