"""Tournaments are booked, played, paired and ended."""

from __future__ import annotations

import pytest

from damrak_ladder.matches.models import Block, BlockState
from damrak_ladder.tournaments import journal
from damrak_ladder.tournaments.log.tables import table_of
from damrak_ladder.tournaments.models import BlockResult, Pairing, PairingBlock, Round
from ladder.tournaments.cups import play, started

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.parametrize(
    ("format_", "entrants", "more", "pairings"),
    [
        ("round-robin", 4, {}, 6),
        ("round-robin", 5, {"blocks": 2}, 10),
        ("swiss", 6, {"rounds": 3}, 9),
        ("single-elimination", 8, {}, 7),
        ("double-elimination", 8, {}, 14),
        ("swiss-tables", 9, {"rounds": 2, "players": 4}, 6),
    ],
)
def test_tournament_runs_to_its_end_and_the_best_wins(
    format_: str, entrants: int, more: dict[str, int], pairings: int
) -> None:
    tournament, _ = started(entrants, format_, **more)
    play(tournament)
    assert tournament.phase == "over"
    state, course = journal.state_of(tournament), journal.course_of(tournament)
    assert table_of(state, course, state.stages[0])[0].number == 1
    met = [one for _, one in state.pairings() if not one.is_bye]
    assert len(met) == pairings
    blocks = Block.objects.filter(purpose="tournament")
    assert {block.state for block in blocks} == {BlockState.RECORDED}
    assert blocks.count() == PairingBlock.objects.count() == BlockResult.objects.count()
    assert blocks.count() >= pairings * more.get("blocks", 1)
    assert Pairing.objects.count() == sum(1 for _ in state.pairings())
    assert Round.objects.count() == len(list(state.rounds()))
    assert {bytes(block.seed) for block in blocks}.__len__() == blocks.count()
