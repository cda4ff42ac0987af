"""One attempt at a block: this host's referee plays it, and its report is recorded.

Nothing here may leave a block stuck. Every way out records the attempt, gives it up, or lets its
lease expire; if another process has taken over by then, nothing is changed.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.conf import settings
from django.db import transaction

from damrak_ladder.bots import journey
from damrak_ladder.bots.archives import archive_store
from damrak_ladder.bots.errors import ArchiveDamaged
from damrak_ladder.installation.pace import wait_for_turn
from damrak_ladder.matches import attempts
from damrak_ladder.matches.attempts import Patience, Trouble
from damrak_ladder.matches.errors import MatchError, StaleReport
from damrak_ladder.matches.logs import keep_logs, keep_timings
from damrak_ladder.matches.models import Blame, Block, Host, HostState, Match, Purpose
from damrak_ladder.matches.record import record
from damrak_ladder.message_codes import block_codes as codes, journey_codes
from damrak_ladder.message_codes.errors import MessageError
from damrak_ladder.message_codes.message import Message
from damrak_ladder.pipeline.attempt.block_report import Hearing, Untrue
from damrak_ladder.pipeline.attempt.lease import Lease
from damrak_ladder.pipeline.attempt.order import Ordered, order_of
from damrak_ladder.pipeline.celery.messages import send
from damrak_ladder.pipeline.queue.capacity import are_connected
from damrak_ladder.pipeline.queue.waiting_blocks import remotes_of
from damrak_ladder.referees.connections import own_control
from damrak_ladder.referees.control import Control
from damrak_ladder.referees.errors import ArchivesMissing, RefereeBusy, RefereeTrouble
from damrak_ladder.replays.stores import replay_store
from damrak_ladder.stores.errors import StoreUnreachable

BUSY_WAIT: Final = timedelta(seconds=2)
"""How long a block that a host did not accept rests before it is offered again."""

STORE_WAIT: Final = timedelta(seconds=20)
"""The same if the replay or archive store is unreachable, which is not the fault of a player."""

Clock = Callable[[], datetime]

Connect = Callable[[], AbstractContextManager[Control]]
"""Provides a connection to this host's referee; it raises only RefereeTrouble."""

_log = logging.getLogger(__name__)


class _Over(MessageError):
    """The attempt failed for this reason."""

    def __init__(self, message: Message, *faults: Trouble) -> None:
        super().__init__(message)
        self.faults = faults


def play(block_id: int, latest: int, clock: Clock, connect: Connect = own_control) -> bool:
    """Make the attempt after the latest; return whether it recorded the block."""
    host = Host.objects.filter(name=settings.DAMRAK_HOST).first()
    if host is not None and host.state == HostState.QUARANTINED:
        attempts.send_away(block_id, latest, clock(), BUSY_WAIT)
        return False
    if not attempts.is_due(block_id, latest, clock()):
        return False  # the message was late, or a duplicate
    if not are_connected(remotes_of([block_id]).get(block_id, ())):
        # Another version has connected since, and must not play in place of this one.
        attempts.send_away(block_id, latest, clock(), BUSY_WAIT)
        return False
    limit = settings.DAMRAK_GAMES_PER_MINUTE
    games = 0 if limit is None else Match.objects.filter(block_id=block_id).count()
    wait_for_turn(settings.DAMRAK_HOME, games, limit)
    try:
        replay_store().store.check()  # before playing games that could not be stored
    except StoreUnreachable as trouble:
        _log.warning("store_unreachable", extra={"block": block_id, "why": str(trouble)})
        attempts.send_away(block_id, latest, clock(), STORE_WAIT)
        return False
    patience = attempts.patience()
    try:
        with connect() as control:
            if control.status().is_draining:
                raise RefereeBusy(control.address.text, "it drains")
            owner = f"{settings.DAMRAK_HOST}:{os.getpid()}"
            host_id = None if host is None else host.pk
            block = attempts.start(block_id, latest, owner, clock(), patience, host_id)
            if block is None:
                return False  # another worker was faster
            is_recorded = _Attempt(block, control, patience, clock).make()
    except RefereeTrouble as trouble:  # raised before the start: _Attempt handles its own
        _log.warning("block_not_taken", extra={"block": block_id, "why": str(trouble)})
        attempts.send_away(block_id, latest, clock(), BUSY_WAIT)
        return False
    if is_recorded:
        send("settle", block_id)
    else:
        send("schedule", expires=10)
    return is_recorded


def carry_out(block: Block, control: Control, clock: Clock) -> bool:
    """Play the latest attempt at a block, which this process owns; return whether it is recorded.

    If the referee plays it already, because the process that owned it before was killed, it is
    followed from its beginning.
    """
    is_recorded = _Attempt(block, control, attempts.patience(), clock).make()
    if is_recorded:
        send("settle", block.pk)
    return is_recorded


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The latest attempt at a block, which this process owns."""

    block: Block
    control: Control
    patience: Patience
    clock: Clock

    def make(self) -> bool:
        """Play and record the attempt, or give it up; return whether it is recorded."""
        try:
            return self._played()
        except StaleReport:
            return False  # another worker has taken over
        except RefereeBusy as busy:
            block = self.block
            attempts.hand_back(block.pk, block.attempt, _answer(busy), self.clock(), BUSY_WAIT)
        except StoreUnreachable as trouble:
            # Replays that were stored are addressed by content, so they do no harm.
            self._stop()
            _log.warning("store_unreachable", extra={"block": self.block.pk, "why": str(trouble)})
            message = codes.StoreUnavailable(str(trouble))
            attempts.hand_back(self.block.pk, self.block.attempt, message, self.clock(), STORE_WAIT)
        except _Over as over:
            self._give_up(over.message, *over.faults)
        except RefereeTrouble as trouble:
            self._give_up(_answer(trouble), Trouble(Blame.HOST, "referee", str(trouble)))
        except BaseException as problem:
            # On any exception the block is queued again; the exception itself is for the caller.
            detail = f"{type(problem).__name__}: {problem}"
            failure = codes.WorkerFailed(type(problem).__name__, str(problem))
            self._give_up(failure, Trouble(Blame.HOST, "worker", detail))
            raise
        return False

    def _played(self) -> bool:
        ordered = self._order()
        hearing = Hearing(ordered)
        with Lease(
            self.block.pk, self.block.attempt, self.patience, self.clock, self._stop
        ) as lease:
            self._begin(ordered)
            self._note("playing", journey_codes.QualificationPlaying(self.block.pk))
            try:
                for news in self.control.follow(str(self.block.pk), self.block.attempt):
                    hearing.take(news)
            except Untrue as problem:
                self._stop()
                raise _Over(
                    problem.message, Trouble(Blame.HOST, "untrue report", str(problem))
                ) from None
        if lease.is_lost and not hearing.is_finished:
            return False
        if not hearing.is_finished:
            self._leave_logs(hearing)
            message, faults = hearing.why_void()
            raise _Over(message, *faults)
        return self._record(hearing)

    def _order(self) -> Ordered:
        width = max(1, settings.DAMRAK_GAMES_AT_ONCE // settings.DAMRAK_WORKERS)
        try:
            return order_of(self.block, width)
        except MatchError as problem:
            raise _Over(problem.message, Trouble(Blame.HOST, "order", str(problem))) from None

    def _begin(self, ordered: Ordered) -> None:
        """Start the block, and upload the archives that the referee lacks."""
        try:
            self.control.start(ordered.order)
        except ArchivesMissing as missing:
            if not ordered.archives:
                raise
            _log.info("archives_uploaded", extra={"block": self.block.pk, "why": str(missing)})
            store = archive_store()
            try:
                for name in ordered.archives:
                    self.control.upload(store.get(name))
            except ArchiveDamaged as problem:
                fault = Trouble(Blame.HOST, "archive", str(problem))
                raise _Over(problem.message, fault) from None
            self.control.start(ordered.order)

    def _record(self, hearing: Hearing) -> bool:
        try:
            report = hearing.report()
        except Untrue as problem:
            fault = Trouble(Blame.HOST, "untrue report", str(problem))
            raise _Over(problem.message, fault) from None
        with transaction.atomic():
            is_first = record(report, self.clock())
            if is_first:
                keep_logs(report.block, report.attempt, hearing.said)
                keep_timings(report.block, hearing.said)
                self._note("played", journey_codes.QualificationPlayed(self.block.pk))
        return is_first

    def _leave_logs(self, hearing: Hearing) -> None:
        keep_logs(self.block.pk, self.block.attempt, hearing.said)

    def _give_up(self, message: Message, *faults: Trouble) -> None:
        block = self.block
        now = self.clock()
        give_up = partial(attempts.give_up, block.pk, block.attempt, message)
        give_up(faults, now, self.patience)

    def _stop(self) -> None:
        """Cancel the block at the referee, as its result is no longer needed."""
        with contextlib.suppress(RefereeTrouble):
            self.control.cancel(str(self.block.pk), self.block.attempt, "it is given up")

    def _note(self, kind: str, message: Message) -> None:
        subject = self.block.subject
        if self.block.purpose == Purpose.QUALIFICATION and subject is not None:
            detail = {"block": self.block.pk, "attempt": self.block.attempt}
            journey.note(subject, kind, message, self.clock(), detail)


def _answer(trouble: RefereeTrouble) -> Message:
    return codes.RefereeFailed(trouble.address, trouble.problem)
