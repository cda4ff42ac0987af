"""Attempts at a block: started, kept alive, given up, made again.

The database is the only truth. Whoever starts a block swaps its state in one statement, so that of
two who were told to start it one is turned away. He holds it on a lease; when he dies the lease
runs out, and the block waits again. Attempts are numbered and no number is used twice, so that
whatever a lost worker still says can be told from what counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from damrak_ladder.matches.errors import BadReport
from damrak_ladder.matches.models import (
    Attempt,
    Blame,
    Block,
    BlockState,
    Fault,
    Match,
    Outcome,
)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a worker may be silent, and how often a block is tried."""

    lease: timedelta
    tries: int
    first_wait: timedelta = timedelta(seconds=1)
    longest_wait: timedelta = timedelta(minutes=10)

    def wait_after(self, tries: int) -> timedelta:
        """How long a block rests when that many attempts have failed: twice as long each time."""
        doublings = min(tries - 1, 40)  # beyond that it is the longest anyhow, and would overflow
        return min(self.first_wait * (1 << doublings), self.longest_wait)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault, where it happened as far as that is known, and whose it was."""

    owner: Blame
    reason: str
    detail: str = ""
    match: int | None = None  # numbers, not keys
    seat: int | None = None


def patience() -> Patience:
    """That of this installation."""
    return Patience(
        lease=timedelta(seconds=settings.DAMRAK_LEASE_SECONDS),
        tries=settings.DAMRAK_BLOCK_ATTEMPTS,
    )


def due(now: datetime, limit: int) -> list[tuple[int, int]]:
    """Blocks to be started, longest due first, each with its latest attempt."""
    waiting = Block.objects.filter(state=BlockState.WAITING, due__lte=now)
    return list(waiting.order_by("due", "pk").values_list("pk", "attempt")[:limit])


def is_due(block_id: int, latest: int, now: datetime) -> bool:
    """Whether the attempt after the latest may begin."""
    waiting = Block.objects.filter(pk=block_id, state=BlockState.WAITING, attempt=latest)
    return waiting.filter(due__lte=now).exists()


def start(
    block_id: int,
    latest: int,
    owner: str,
    now: datetime,
    patience: Patience,
    host_id: int | None = None,
) -> Block | None:
    """Begin the attempt after the latest; None if it is not to be begun, or has been already."""
    with transaction.atomic():
        is_ours = Block.objects.filter(
            pk=block_id, state=BlockState.WAITING, attempt=latest, due__lte=now
        ).update(
            state=BlockState.RUNNING,
            attempt=latest + 1,
            tries=F("tries") + 1,
            lease_until=now + patience.lease,
            lease_owner=owner,
            host=host_id,
        )
        if not is_ours:
            return None
        Attempt.objects.create(
            block_id=block_id, number=latest + 1, owner=owner, host_id=host_id, started=now
        )
        return Block.objects.get(pk=block_id)


def renew(block_id: int, attempt: int, now: datetime, patience: Patience) -> bool:
    """Say that the attempt goes on. False: it is lost, and whoever makes it should stop."""
    running = Block.objects.filter(pk=block_id, state=BlockState.RUNNING, attempt=attempt)
    return bool(running.update(lease_until=now + patience.lease))


def give_up(
    block_id: int,
    attempt: int,
    detail: str,
    faults: Iterable[Trouble],
    now: datetime,
    patience: Patience,
) -> bool:
    """Declare an attempt void: no result of it counts, and the block is tried again.

    False if the attempt is over already; then nothing happens.

    Raises:
        BadReport: a fault is in a seat that the block does not have.
    """
    return _end(block_id, attempt, Outcome.VOID, detail, tuple(faults), now, patience)


def hand_back(block_id: int, attempt: int, detail: str, now: datetime, wait: timedelta) -> bool:
    """Let the block wait again as if this attempt had not been made: nobody took it on.

    False if the attempt is over already; then nothing happens.
    """
    with transaction.atomic():
        running = Block.objects.filter(pk=block_id, state=BlockState.RUNNING, attempt=attempt)
        is_ours = running.update(
            state=BlockState.WAITING,
            tries=F("tries") - 1,
            due=now + wait,
            lease_until=None,
            lease_owner="",
            trouble=detail[:500],
            host=None,
            sent=None,
        )
        if is_ours:
            close(block_id, attempt, Outcome.VOID, detail, (), now)
    return bool(is_ours)


def send_away(block_id: int, latest: int, now: datetime, wait: timedelta) -> bool:
    """Let the block look for another host, without an attempt; False if it does not wait."""
    waiting = Block.objects.filter(pk=block_id, state=BlockState.WAITING, attempt=latest)
    return bool(waiting.update(host=None, sent=None, due=now + wait))


def reap(now: datetime, patience: Patience, limit: int = 100) -> int:
    """End attempts whose lease has run out; how many there were."""
    expired = Block.objects.filter(state=BlockState.RUNNING, lease_until__lt=now)
    found = list(expired.order_by("lease_until", "pk").values_list("pk", "attempt")[:limit])
    detail = "the worker fell silent"
    return sum(
        _end(block_id, attempt, Outcome.EXPIRED, detail, (), now, patience)
        for block_id, attempt in found
    )


def end_former(host: str, began: datetime, now: datetime, patience: Patience) -> int:
    """End what workers of this host had begun before that moment; how many attempts there were.

    Their leases would run out by themselves, but whoever has taken their place knows that they are
    dead, and nobody needs to wait for that.
    """
    running = Attempt.objects.filter(
        owner__startswith=f"{host}:",
        started__lt=began,
        ended=None,
        block__state=BlockState.RUNNING,
        block__attempt=F("number"),
    )
    detail = "the worker died"
    over = now - timedelta(microseconds=1)
    ended = 0
    for block_id, attempt in list(running.values_list("block_id", "number")):
        theirs = Block.objects.filter(pk=block_id, state=BlockState.RUNNING, attempt=attempt)
        theirs.update(lease_until=over)
        ended += _end(block_id, attempt, Outcome.EXPIRED, detail, (), now, patience)
    return ended


def set_right(now: datetime, patience: Patience) -> int:
    """Date anew what is dated later than could be by now: a clock was set back. How many blocks."""
    waiting = Block.objects.filter(state=BlockState.WAITING, due__gt=now + patience.longest_wait)
    running = Block.objects.filter(
        state=BlockState.RUNNING, lease_until__gt=now + 2 * patience.lease
    )
    # A worker that is alive renews its lease before this one runs out.
    return waiting.update(due=now) + running.update(lease_until=now + patience.lease)


def requeue(block_id: int, now: datetime) -> bool:
    """Try a dead block again, as often as a new one; False if it is not dead."""
    dead = Block.objects.filter(pk=block_id, state=BlockState.DEAD)
    return bool(dead.update(state=BlockState.WAITING, tries=0, due=now, host=None, sent=None))


def _end(
    block_id: int,
    attempt: int,
    outcome: Outcome,
    detail: str,
    faults: tuple[Trouble, ...],
    now: datetime,
    patience: Patience,
) -> bool:
    with transaction.atomic():
        running = Block.objects.filter(pk=block_id, state=BlockState.RUNNING, attempt=attempt)
        if outcome is Outcome.EXPIRED:
            running = running.filter(lease_until__lt=now)  # it may have been renewed meanwhile
        block = running.select_for_update(no_key=True).first()
        if block is None:
            return False
        is_dead = block.tries >= patience.tries
        running.update(
            state=BlockState.DEAD if is_dead else BlockState.WAITING,
            due=now + patience.wait_after(block.tries),
            lease_until=None,
            lease_owner="",
            trouble=detail[:500],
            host=None,
            sent=None,
        )
        close(block_id, attempt, outcome, detail, faults, now)
    return True


def close(
    block_id: int,
    attempt: int,
    outcome: Outcome,
    detail: str,
    faults: Iterable[Trouble],
    now: datetime,
) -> None:
    """Write down how an attempt ended, and its faults; within the transaction that ends it.

    Raises:
        BadReport: a fault is in a seat that the block does not have.
    """
    rows = Attempt.objects.filter(block_id=block_id, number=attempt)
    rows.update(ended=now, outcome=outcome, detail=detail[:500])
    faults = tuple(faults)
    if not faults:
        return
    row = rows.get()
    matches = {match.number: match for match in row.block.matches.prefetch_related("seats")}
    Fault.objects.bulk_create(_fault(row, fault, matches) for fault in faults)


def _fault(attempt: Attempt, trouble: Trouble, matches: dict[int, Match]) -> Fault:
    match = None if trouble.match is None else matches.get(trouble.match)
    seats = {} if match is None else {seat.number: seat for seat in match.seats.all()}
    seat = None if trouble.seat is None else seats.get(trouble.seat)
    if (match is None) != (trouble.match is None) or (seat is None) != (trouble.seat is None):
        raise BadReport(f"a fault in seat {trouble.seat} of match {trouble.match}")
    return Fault(
        attempt=attempt,
        match=match,
        seat=seat,
        version_id=None if seat is None else seat.version_id,
        owner=trouble.owner,
        reason=trouble.reason,
        detail=trouble.detail[:500],
    )
