"""A block passes through the real broker, worker, referee and database."""

from __future__ import annotations

from damrak_ladder.matches.models import (
    Attempt,
    BlockState,
    Host,
    Match,
    Outcome,
    SeatLog,
    SeatResult,
)
from damrak_ladder.matches.timings import timings_of
from damrak_ladder.replays.inspection import inspect
from system.blocks import house_block
from system.plant import Plant


def test_block_of_house_bots_is_played_and_recorded(plant: Plant) -> None:
    (block,) = plant.drive([house_block()], is_reaped=False)
    assert block.state == BlockState.RECORDED, block.trouble
    attempt = Attempt.objects.get(block=block)
    assert (attempt.number, attempt.outcome, attempt.host) == (1, Outcome.RECORDED, block.host)
    assert block.host == Host.objects.get(name="one")
    for match in Match.objects.filter(block=block):
        assert inspect(match) is None
        timings = timings_of(match.pk)
        assert timings is not None
        assert set(timings.seats) == {0, 1}
        assert len(timings.of_seat(0).total_us) == timings.seats.count(0)
    assert SeatResult.objects.filter(seat__match__block=block).count() == 4
    logs = SeatLog.objects.filter(seat__match__block=block)
    assert all(log.name == "Greedy" or log.name for log in logs)
    assert logs.count() == 4
