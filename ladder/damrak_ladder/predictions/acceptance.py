"""Acceptance of predictions, and which of them count.

A prediction counts while nothing about the game is decided: before the first attempt at a block
starts, and then until each seat of the match has had `EARLY` turns at the referee. Public results
and later attempts, which are played with the same cards, end this.

A broadcast is behind the game, often by its whole length, because bots decide fast. A prediction in
its first turns is therefore accepted even if the game is over at the referee, but it does not
count: the moments and the result are public by then, so anyone could look them up.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from django.db import transaction
from django.db.models import QuerySet

from damrak_ladder.accounts.models import User
from damrak_ladder.matches.models import Block, BlockState, Match, Purpose
from damrak_ladder.predictions.models import Prediction
from damrak_ladder.tournaments.visibility import visible_blocks, visible_matches

EARLY: Final = 2
"""The number of turns of each seat during which predictions are accepted."""

AFTER: Final = timedelta(minutes=15)
"""How long after the end of a block predictions that do not count are accepted: a broadcast goes
on for that long at most."""

COMING: Final = 6
"""The number of coming games that readers are offered."""

PURPOSES: Final = (Purpose.LADDER, Purpose.TOURNAMENT)


def predictable(pk: int) -> Match | None:
    """Return a match that everyone may see and whose winner can be predicted."""
    matches = visible_matches(None).filter(pk=pk, block__purpose__in=PURPOSES)
    return matches.select_related("block").first()


def coming() -> QuerySet[Match, Match]:
    """Return the first matches of the blocks that start next and whose winner can be predicted."""
    waiting = visible_matches(None).filter(
        number=0, block__state=BlockState.WAITING, block__attempt=0, block__purpose__in=PURPOSES
    )
    return waiting.order_by("block__due", "pk")[:COMING]


def may_open(block: Block) -> bool:
    """Return whether predictions of a block may count, as far as the database knows."""
    if block.purpose not in PURPOSES:
        return False
    if block.state == BlockState.WAITING:
        return block.attempt == 0
    return bool(block.state == BlockState.RUNNING and block.attempt <= 1)


def is_open(block: Block, seats: int, turns: int | None) -> bool:
    """Return whether predictions of a match count after this number of turns.

    None stands for an unknown number.
    """
    if not may_open(block) or block.state == BlockState.WAITING:
        return may_open(block)
    return turns is not None and turns <= EARLY * seats


class Answer(Enum):
    """What became of a prediction."""

    COUNTS = "counts"
    FOR_FUN = "for fun"  # it does not count
    LATE = "late"


def answer_of(block: Block, seats: int, turns: int | None, now: datetime) -> Answer:
    """Return what becomes of a prediction after this number of turns; None if it is unknown."""
    if block.purpose not in PURPOSES:
        return Answer.LATE
    if is_open(block, seats, turns):
        return Answer.COUNTS
    is_on = block.state in {BlockState.WAITING, BlockState.RUNNING}
    is_fresh = block.finished is not None and block.finished > now - AFTER
    return Answer.FOR_FUN if is_on or is_fresh else Answer.LATE


def predict(user: User, match: Match, seat: int, turns: int | None, now: datetime) -> Answer:
    """Store a prediction, unless it is too late or there is no such seat.

    The first prediction of a user for a match counts; later ones change nothing.
    """
    seats = match.seats.count()
    if not 0 <= seat < seats:
        return Answer.LATE
    with transaction.atomic():
        # The lock orders this with the recording of the block, after which predictions are scored.
        block = visible_blocks(None).select_for_update(of=("self",), no_key=True)
        answer = answer_of(block.get(pk=match.block_id), seats, turns, now)
        if answer is not Answer.LATE:
            made = {"seat": seat, "created": now, "counts": answer is Answer.COUNTS}
            Prediction.objects.get_or_create(user=user, match=match, defaults=made)
    return answer
