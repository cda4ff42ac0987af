"""Recording of a block's report, exactly once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.notes import note
from damrak_ladder.matches.attempts import Trouble, close
from damrak_ladder.matches.errors import BadReport, StaleReport
from damrak_ladder.matches.models import (
    Attempt,
    Block,
    BlockState,
    Match,
    Outcome,
    Seat,
    SeatResult,
)
from damrak_ladder.message_codes import block_codes as codes


@dataclass(frozen=True, slots=True)
class SeatOutcome:
    """The result of a seat."""

    turn: int  # 0 moved first
    place: int
    points: int
    fault: str = ""


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """The result of a match, and the hash of its replay."""

    replay: str
    seats: tuple[SeatOutcome, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All matches of a block, in order, as played by one attempt."""

    block: int
    attempt: int
    matches: tuple[MatchOutcome, ...]
    faults: tuple[Trouble, ...] = ()


def record(report: Report, now: datetime) -> bool:
    """Record the results of a block; return False if this attempt is recorded already.

    A worker whose lease has run out may still record its attempt, as long as the attempt has not
    been ended by another process.

    Raises:
        StaleReport: the attempt has ended otherwise, so its results do not count.
        BadReport: it is not about the matches of this block.
    """
    with transaction.atomic():
        is_first = Block.objects.filter(
            pk=report.block, attempt=report.attempt, state=BlockState.RUNNING
        ).update(
            state=BlockState.RECORDED,
            lease_until=None,
            lease_owner="",
            trouble=None,
            finished=now,
        )
        if not is_first:
            if _is_recorded(report):
                return False
            raise StaleReport(report.block, report.attempt)
        _write(report)
        close(report.block, report.attempt, Outcome.RECORDED, None, report.faults, now)
        note(ChangeKind.BLOCK_FINISHED, report.block, now)
    return True


def _is_recorded(report: Report) -> bool:
    return Attempt.objects.filter(
        block_id=report.block, number=report.attempt, outcome=Outcome.RECORDED
    ).exists()


def _write(report: Report) -> None:
    by_match: dict[Match, list[Seat]] = {}
    seated = Seat.objects.filter(match__block_id=report.block).select_related("match")
    for seat in seated.order_by("match__number", "number"):
        by_match.setdefault(seat.match, []).append(seat)
    if len(by_match) != len(report.matches):
        raise BadReport(codes.MatchCountDiffers(len(report.matches), len(by_match)))
    results = []
    for (match, seats), outcome in zip(by_match.items(), report.matches, strict=True):
        if len(seats) != len(outcome.seats):
            raise BadReport(codes.SeatsDiffer(len(outcome.seats), len(seats)))
        match.replay = outcome.replay
        results += [
            SeatResult(
                seat=seat,
                attempt=report.attempt,
                turn=said.turn,
                place=said.place,
                points=said.points,
                fault=said.fault,
            )
            for seat, said in zip(seats, outcome.seats, strict=True)
        ]
    Match.objects.bulk_update(by_match, ["replay"])
    SeatResult.objects.bulk_create(results)
