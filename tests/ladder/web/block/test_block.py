"""A block's page: the value of the cards, and the first difference between its games."""

from __future__ import annotations

import pytest

from damrak_ladder.matches.models import Block, BlockState, Match, SeatResult
from damrak_ladder.profiles.divergence import parting
from damrak_ladder.profiles.mirrored_luck import owns, seat_rows
from damrak_ladder.web.block import lists
from damrak_ladder.web.block.divergence import divergences
from damrak_ladder.web.block.tags import board_title
from ladder.sites import fill_recently
from ladder.visitors import page, visitor


def test_games_part_at_the_first_decision_that_differs():
    same = [{"event": "deal"}, {"event": "blind", "seat": 0, "ms": 5, "note": "a"}]
    other = [{"event": "deal"}, {"event": "blind", "seat": 0, "ms": 9}]
    passed = {"event": "pass", "seat": 1}
    drawn = {"event": "blind", "seat": 1}
    assert parting(same, other) is None  # a longer thinking time is not a different decision
    assert parting([*same, passed], [*other, drawn]) == 2
    assert parting([*same, passed], other) == 2
    assert parting([], same) is None


@pytest.mark.usefixtures("database")
def test_luck_is_the_mean_of_a_seat_and_play_is_the_rest():
    fill_recently(blocks=6, replays=2)
    recorded = Block.objects.filter(state=BlockState.RECORDED)
    newest = recorded.filter(is_mirrored=True).latest("finished")
    shown = lists.shown(Block.objects.filter(pk=newest.pk))[0]
    seats = len(shown.sides)
    rows = seat_rows(shown.matches, seats)
    assert len(rows) == seats
    for row in rows:
        assert len(row.cells) == seats
        assert sum(cell.beyond for cell in row.cells) == pytest.approx(0)
    assert sum(one.beyond for one in owns(rows)) == pytest.approx(0)
    total = sum(
        SeatResult.objects.filter(seat__match__block=newest).values_list("points", flat=True)
    )
    assert sum(row.worth for row in rows) * seats == pytest.approx(total)

    found = divergences(shown.matches, seats)
    assert len(found) == seats - 1
    assert all(one.at and one.first.text and one.second.text for one in found)
    text = page(visitor(), f"/blocks/{newest.pk}/")
    assert "Results without luck" in text
    assert "Where the games diverged" in text
    assert f"#e{found[0].at}" in text

    Match.objects.filter(block=newest, number=0).update(replay="0" * 64)  # the replay is lost
    text = page(visitor(), f"/blocks/{newest.pk}/")
    assert "Results without luck" in text
    assert "Where the games diverged" not in text
    open_ = Block.objects.get(state=BlockState.WAITING)
    assert "Results without luck" not in page(visitor(), f"/blocks/{open_.pk}/")


def test_boards_of_a_day_have_titles():
    assert board_title("practice") == "Oefenhaven"
    assert board_title("daily-2026-11-20-24") == "board of the day, 20 November 2026"
    assert board_title("my-board") == "my-board"
