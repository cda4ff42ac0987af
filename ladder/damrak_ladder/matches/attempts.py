"""Attempts at a block: start, lease renewal, failure and retry.

The database is the single source of truth. A worker starts a block by swapping its state in one
statement, so that only one of several workers succeeds. It holds the block on a lease; when the
worker is killed, the lease expires and the block waits again. Attempts are numbered and no number
is used twice, so that late reports of lost workers can be recognised.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F

from damrak_ladder.changes.models import ChangeKind
from damrak_ladder.changes.notes import note
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
from damrak_ladder.message_codes import block_codes as codes
from damrak_ladder.message_codes.message import Message


@dataclass(frozen=True, slots=True)
class Patience:
    """The lease, the number of tries and the back-off between them."""

    lease: timedelta
    tries: int
    first_wait: timedelta = timedelta(seconds=1)
    longest_wait: timedelta = timedelta(minutes=10)

    def wait_after(self, tries: int) -> timedelta:
        """Return how long a block rests after this many failed attempts (exponential back-off)."""
        doublings = min(tries - 1, 40)  # avoids an overflow: the longest wait is reached before
        return min(self.first_wait * (1 << doublings), self.longest_wait)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault, where it happened if that is known, and who is to blame."""

    owner: Blame
    reason: str
    detail: str = ""
    match: int | None = None  # numbers, not primary keys
    seat: int | None = None


def patience() -> Patience:
    """Return the settings of this installation."""
    return Patience(
        lease=timedelta(seconds=settings.DAMRAK_LEASE_SECONDS),
        tries=settings.DAMRAK_BLOCK_ATTEMPTS,
    )


def due(now: datetime, limit: int) -> list[tuple[int, int]]:
    """Return the blocks that are due, longest overdue first, each with its latest attempt."""
    waiting = Block.objects.filter(state=BlockState.WAITING, due__lte=now)
    return list(waiting.order_by("due", "pk").values_list("pk", "attempt")[:limit])


def is_due(block_id: int, latest: int, now: datetime) -> bool:
    """Return whether the attempt after the latest may begin."""
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
    """Begin the attempt after the latest; None if it is not due, or has begun already."""
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
        note(ChangeKind.BLOCK_STARTED, block_id, now)
        return Block.objects.get(pk=block_id)


def renew(block_id: int, attempt: int, now: datetime, patience: Patience) -> bool:
    """Renew the lease of an attempt; return False if it is lost, so that the worker should stop."""
    running = Block.objects.filter(pk=block_id, state=BlockState.RUNNING, attempt=attempt)
    return bool(running.update(lease_until=now + patience.lease))


def give_up(
    block_id: int,
    attempt: int,
    detail: Message | None,
    faults: Iterable[Trouble],
    now: datetime,
    patience: Patience,
) -> bool:
    """Declare an attempt void: its results do not count, and the block is tried again.

    Returns False, without any effect, if the attempt is over already.

    Raises:
        BadReport: a fault is in a seat that the block does not have.
    """
    return _end(block_id, attempt, Outcome.VOID, detail, tuple(faults), now, patience)


def hand_back(block_id: int, attempt: int, detail: Message, now: datetime, wait: timedelta) -> bool:
    """Let the block wait again without counting this attempt, as it was not taken on.

    Returns False, without any effect, if the attempt is over already.
    """
    with transaction.atomic():
        running = Block.objects.filter(pk=block_id, state=BlockState.RUNNING, attempt=attempt)
        is_ours = running.update(
            state=BlockState.WAITING,
            tries=F("tries") - 1,
            due=now + wait,
            lease_until=None,
            lease_owner="",
            trouble=detail,
            host=None,
            sent=None,
        )
        if is_ours:
            close(block_id, attempt, Outcome.VOID, detail, (), now)
            note(ChangeKind.BLOCK_QUEUED, block_id, now)
    return bool(is_ours)


def send_away(block_id: int, latest: int, now: datetime, wait: timedelta) -> bool:
    """Release a waiting block for another host, without an attempt; False if it does not wait."""
    waiting = Block.objects.filter(pk=block_id, state=BlockState.WAITING, attempt=latest)
    return bool(waiting.update(host=None, sent=None, due=now + wait))


def drop(block_id: int, latest: int, detail: Message, now: datetime) -> bool:
    """End a block that waits, for good; return False if it no longer waits."""
    with transaction.atomic():
        waiting = Block.objects.filter(pk=block_id, state=BlockState.WAITING, attempt=latest)
        is_ours = waiting.update(state=BlockState.DEAD, trouble=detail, host=None, sent=None)
        if is_ours:
            note(ChangeKind.BLOCK_FAILED, block_id, now)
    return bool(is_ours)


def reap(now: datetime, patience: Patience, limit: int = 100) -> int:
    """Expire attempts whose lease has run out; return their number."""
    expired = Block.objects.filter(state=BlockState.RUNNING, lease_until__lt=now)
    found = list(expired.order_by("lease_until", "pk").values_list("pk", "attempt")[:limit])
    detail = codes.WorkerSilent()
    return sum(
        _end(block_id, attempt, Outcome.EXPIRED, detail, (), now, patience)
        for block_id, attempt in found
    )


def end_former(host: str, began: datetime, now: datetime, patience: Patience) -> int:
    """Expire the attempts that workers of this host began before `began`; return their number.

    The leases of these workers would run out anyway, but their successor knows that they are dead,
    so that there is no need to wait.
    """
    running = Attempt.objects.filter(
        owner__startswith=f"{host}:",
        started__lt=began,
        ended=None,
        block__state=BlockState.RUNNING,
        block__attempt=F("number"),
    )
    detail = codes.WorkerEnded()
    over = now - timedelta(microseconds=1)
    ended = 0
    for block_id, attempt in list(running.values_list("block_id", "number")):
        theirs = Block.objects.filter(pk=block_id, state=BlockState.RUNNING, attempt=attempt)
        theirs.update(lease_until=over)
        ended += _end(block_id, attempt, Outcome.EXPIRED, detail, (), now, patience)
    return ended


def set_right(now: datetime, patience: Patience) -> int:
    """Pull back due dates and leases that lie too far in the future; return the number of blocks.

    Such dates mean that a clock was set back.
    """
    waiting = Block.objects.filter(state=BlockState.WAITING, due__gt=now + patience.longest_wait)
    running = Block.objects.filter(
        state=BlockState.RUNNING, lease_until__gt=now + 2 * patience.lease
    )
    # A live worker renews its lease before this one runs out.
    return waiting.update(due=now) + running.update(lease_until=now + patience.lease)


def requeue(block_id: int, now: datetime) -> bool:
    """Retry a dead block with a new count of tries; False if it is not dead."""
    dead = Block.objects.filter(pk=block_id, state=BlockState.DEAD)
    with transaction.atomic():
        changed = dead.update(state=BlockState.WAITING, tries=0, due=now, host=None, sent=None)
        if changed:
            note(ChangeKind.BLOCK_QUEUED, block_id, now)
    return bool(changed)


def _end(
    block_id: int,
    attempt: int,
    outcome: Outcome,
    detail: Message | None,
    faults: tuple[Trouble, ...],
    now: datetime,
    patience: Patience,
) -> bool:
    with transaction.atomic():
        running = Block.objects.filter(pk=block_id, state=BlockState.RUNNING, attempt=attempt)
        if outcome is Outcome.EXPIRED:
            running = running.filter(lease_until__lt=now)  # it may have been renewed since
        block = running.select_for_update(no_key=True).first()
        if block is None:
            return False
        is_dead = block.tries >= patience.tries
        running.update(
            state=BlockState.DEAD if is_dead else BlockState.WAITING,
            due=now + patience.wait_after(block.tries),
            lease_until=None,
            lease_owner="",
            trouble=detail,
            host=None,
            sent=None,
        )
        close(block_id, attempt, outcome, detail, faults, now)
        note(ChangeKind.BLOCK_FAILED if is_dead else ChangeKind.BLOCK_QUEUED, block_id, now)
    return True


def close(
    block_id: int,
    attempt: int,
    outcome: Outcome,
    detail: Message | None,
    faults: Iterable[Trouble],
    now: datetime,
) -> None:
    """Record the end of an attempt and its faults, within the transaction that ends it.

    Raises:
        BadReport: a fault is in a seat that the block does not have.
    """
    rows = Attempt.objects.filter(block_id=block_id, number=attempt)
    rows.update(ended=now, outcome=outcome, detail=detail)
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
        raise BadReport(codes.FaultNotSeated(str(trouble.seat), str(trouble.match)))
    return Fault(
        attempt=attempt,
        match=match,
        seat=seat,
        version_id=None if seat is None else seat.version_id,
        owner=trouble.owner,
        reason=trouble.reason,
        detail=trouble.detail[:500],
    )
