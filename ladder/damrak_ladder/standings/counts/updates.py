"""Adding a block to the ratings of a ladder, and withdrawing it."""

from __future__ import annotations

from django.db import transaction

from damrak_ladder.matches.models import Block, SeatResult
from damrak_ladder.standings.counts.notable_games import forget, notice
from damrak_ladder.standings.counts.tallies import add
from damrak_ladder.standings.fit.running_ratings import follow
from damrak_ladder.standings.models import Counted
from damrak_ladder.standings.packed_blocks import Came, Outcome, outcome_of, pack, unpack
from damrak_ladder.standings.progress import locked


def absorb(block: Block) -> bool:
    """Count a recorded block of a ladder. Return False if it was counted before.

    Its compact row, the tallies and the running estimates change together, at a cost that does not
    depend on history; the published numbers change with the next fit.

    Raises:
        ValueError: the block does not belong to a ladder, or has no results.
    """
    if block.ladder_id is None:
        raise ValueError(f"{block} belongs to no ladder")
    outcome = recorded_outcome(block.pk)
    results, points = pack(outcome)
    with transaction.atomic():
        progress = locked(block.ladder_id)
        if Counted.objects.filter(pk=block.pk).exists():
            return False
        progress.serial += 1
        progress.blocks += 1
        progress.save(update_fields=["serial", "blocks"])
        Counted.objects.create(
            block=block,
            ladder_id=block.ladder_id,
            serial=progress.serial,
            results=results,
            points=points,
        )
        add(block.ladder_id, [outcome])
        notice(block, outcome)
        follow(block.ladder_id, outcome, progress.fit)
    return True


def withdraw(block: Block) -> bool:
    """Stop counting a block. Return False if it is not counted.

    Tallies are as if the block had never been played. The running estimates drop its influence with
    the next fit, which becomes due.
    """
    if block.ladder_id is None:
        return False
    with transaction.atomic():
        progress = locked(block.ladder_id)
        row = Counted.objects.filter(pk=block.pk).first()
        if row is None:
            return False
        outcome = unpack(bytes(row.results), bytes(row.points))
        row.delete()
        progress.blocks -= 1
        progress.withdrawn += 1
        progress.save(update_fields=["blocks", "withdrawn"])
        add(block.ladder_id, [outcome], sign=-1)
        forget(block)
    return True


def recorded_outcome(block: int) -> Outcome:
    """Return the outcome of a recorded block, from the results of its seats.

    Raises:
        ValueError: the block has no results, or they are inconsistent.
    """
    games: dict[int, list[Came]] = {}
    rows = SeatResult.objects.filter(seat__match__block_id=block).values_list(
        *("seat__match__number", "seat__version_id", "turn", "place", "points", "fault")
    )
    for number, version, turn, place, points, fault in rows:
        games.setdefault(number, []).append(Came(version, turn, place, points, bool(fault)))
    return outcome_of(games[number] for number in sorted(games))
