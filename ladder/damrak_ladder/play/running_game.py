"""A game of people as a block at the referee, played by a thread of the relay."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import connection, connections

from damrak_ladder.matches import attempts
from damrak_ladder.matches.models import Block, Host, HostState
from damrak_ladder.pipeline.attempt.execution import BUSY_WAIT, carry_out
from damrak_ladder.play import mailbox
from damrak_ladder.referees.addresses import parse_address
from damrak_ladder.referees.connections import security
from damrak_ladder.referees.control import Control
from damrak_ladder.referees.errors import RefereeBusy, RefereeTrouble
from damrak_wire.orders import BlockOrder, Ticket

Clock = Callable[[], datetime]

LOST: Final = "the tickets were lost with an earlier relay"
TAKEN_BACK: Final = "a move was taken back"

_log = logging.getLogger(__name__)


class _PeopleControl(Control):
    """A client that keeps the tickets of the seats of people."""

    def start(self, order: BlockOrder) -> tuple[Ticket, ...]:
        """Start a block and store its tickets, unless an earlier relay did both."""
        block_id = int(order.block)
        try:
            if mailbox.has_tickets(block_id, order.attempt):
                return ()
            tickets = super().start(order)
            if not tickets:
                self.cancel(order.block, order.attempt, LOST)
                raise RefereeBusy(self.address.text, LOST)
            mailbox.keep_tickets(block_id, order.attempt, tickets)
            return tickets
        finally:
            # The game may take an hour, and there may be many: they need no connection meanwhile.
            connection.close()


def play_game(block_id: int, latest: int, owner: str, clock: Clock) -> None:
    """Make the attempt after the latest, if no other relay was faster."""
    try:
        with _control() as control:
            host = Host.objects.filter(name=settings.DAMRAK_HOST).first()
            is_busy = control.status().is_draining
            if is_busy or (host is not None and host.state == HostState.QUARANTINED):
                attempts.send_away(block_id, latest, clock(), BUSY_WAIT)
                return
            host_id = None if host is None else host.pk
            block = attempts.start(block_id, latest, owner, clock(), attempts.patience(), host_id)
            if block is not None:
                carry_out(block, control, clock)
    except RefereeTrouble as trouble:  # before the start: `carry_out` handles its own
        _log.warning("game_not_started", extra={"block": block_id, "why": str(trouble)})
        attempts.send_away(block_id, latest, clock(), BUSY_WAIT)
    finally:
        connections.close_all()


def take_over_game(block: Block, owner: str, clock: Clock) -> None:
    """Go on with an attempt of a relay that was killed."""
    try:
        if block.lease_owner == owner or not mailbox.take_over(block, owner):
            return
        with _control() as control:
            carry_out(block, control, clock)
    finally:
        connections.close_all()


def cancel_game(block_id: int, attempt: int) -> None:
    """End an attempt at the referee, because a move was taken back."""
    with contextlib.suppress(RefereeTrouble), _control() as control:
        control.cancel(str(block_id), attempt, TAKEN_BACK)


def _control() -> Control:
    return _PeopleControl(parse_address(settings.DAMRAK_REFEREE or ""), security())
