"""Blocks for tests, and the reports of their attempts."""

from __future__ import annotations

from datetime import datetime, timedelta

from damrak_ladder.bots.models import Kind, Version
from damrak_ladder.matches.attempts import Patience
from damrak_ladder.matches.booking import Table, book
from damrak_ladder.matches.models import Attempt, Block, BlockState, Outcome, Purpose, SeatResult
from damrak_ladder.matches.record import MatchOutcome, Report, SeatOutcome
from ladder.bot_versions import some_bot, some_version
from ladder.people import NOW

SEED = bytes(range(32))
PATIENCE = Patience(
    lease=timedelta(seconds=60),
    tries=3,
    first_wait=timedelta(seconds=1),
    longest_wait=timedelta(seconds=30),
)


def some_versions(seats: int = 2, kind: Kind = Kind.HOUSE) -> tuple[Version, ...]:
    """Return `seats` versions, each of a different bot."""
    return tuple(some_version(some_bot(f"bot-{number}"), kind=kind) for number in range(seats))


def some_block(versions: tuple[Version, ...] | None = None, now: datetime = NOW) -> Block:
    """Return a waiting block."""
    table = Table(versions or some_versions(), "practice", Purpose.LADDER, "ladder:practice")
    return book(table, SEED, now)


def report_of(block: Block, attempt: int, worker: int = 0) -> Report:
    """Return the report of a worker; its points identify the worker and the attempt."""
    seats = block.matches.get(number=0).seats.count()
    return Report(
        block=block.pk,
        attempt=attempt,
        matches=tuple(
            MatchOutcome(
                replay=f"{block.pk:032x}{attempt:016x}{number:016x}",
                seats=tuple(
                    SeatOutcome(turn=seat, place=seat + 1, points=attempt * 1000 + worker)
                    for seat in range(seats)
                ),
            )
            for number in range(seats)
        ),
    )


def check_counted_once(block: Block) -> None:
    """Check that a recorded block has one result per seat, all from its recorded attempt."""
    assert block.state == BlockState.RECORDED
    attempts = list(Attempt.objects.filter(block=block).order_by("number"))
    assert [attempt.number for attempt in attempts] == list(range(1, block.attempt + 1))
    assert [one.outcome for one in attempts].count(Outcome.RECORDED) == 1
    assert attempts[-1].outcome == Outcome.RECORDED
    assert all(attempt.ended is not None for attempt in attempts)
    results = list(
        SeatResult.objects.filter(seat__match__block=block).select_related("seat__match")
    )
    seats = block.matches.get(number=0).seats.count()
    places = {(row.seat.match.number, row.seat.number) for row in results}
    assert len(results) == len(places) == seats * seats
    assert {row.attempt for row in results} == {block.attempt}
    assert len({row.points for row in results}) == 1  # the report of one worker, not a mixture
    assert all(row.points // 1000 == block.attempt for row in results)
    assert all(int(match.replay[32:48], 16) == block.attempt for match in block.matches.all())
